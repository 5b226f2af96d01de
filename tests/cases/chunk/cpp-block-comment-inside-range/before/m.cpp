int x;
/* several
   lines
*/
int y;
int z;
