// new
int x;
int y;
