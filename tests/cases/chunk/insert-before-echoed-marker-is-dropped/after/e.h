int w;
int v;
int x;
