void f() {
}
