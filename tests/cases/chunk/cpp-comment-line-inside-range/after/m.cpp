int xy;
int z;
