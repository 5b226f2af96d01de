void f() {
    if (a) {
        b();
    }
    c();
}
int z;
