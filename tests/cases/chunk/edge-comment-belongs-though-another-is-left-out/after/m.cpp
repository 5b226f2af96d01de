// new
int z;
