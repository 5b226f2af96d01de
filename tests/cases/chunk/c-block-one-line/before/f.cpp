int f() { return 1; }
int z;
