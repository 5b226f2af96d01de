// old
int x;
int y;
