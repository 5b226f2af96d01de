int x; /* c1
  c2 */
int y;
