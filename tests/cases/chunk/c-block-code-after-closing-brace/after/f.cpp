void f() {
} int keep;
int z;
