int w;
/* c1
  c2 */ int x;
int y;
