void f() {
    a();
    if (y) {
        d();
    }
    c();
}
