void f() {}
void g() {
}
