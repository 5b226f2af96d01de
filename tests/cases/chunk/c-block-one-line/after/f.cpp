int f() { return 2; }
int z;
