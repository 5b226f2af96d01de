int w;
int x;
