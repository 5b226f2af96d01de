void f() {
    a();
    if (x) {
        b();
    }
    c();
}
