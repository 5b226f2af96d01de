K::K() {}
int z;
