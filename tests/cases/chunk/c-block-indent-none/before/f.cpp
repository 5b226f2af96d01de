ns {
    void f() {
        a();
    }
}
