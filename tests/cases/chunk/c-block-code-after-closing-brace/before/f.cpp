void f() {
    a(); } int keep;
int z;
