int z;
int y;
