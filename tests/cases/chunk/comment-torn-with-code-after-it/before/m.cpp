int x; /* c1
  c2 */ int k;
int y;
