int w;
int y;
