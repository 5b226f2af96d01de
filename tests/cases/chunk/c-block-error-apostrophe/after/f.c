void f() {}
int z;
