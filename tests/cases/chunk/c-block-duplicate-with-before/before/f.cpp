int v = 1;
void f() {
    a();
}
int v = 2;
void f() {
    b();
}
