ns {
void f() {
    b();
}
}
