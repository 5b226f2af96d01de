void f() {
} // f
int z;
