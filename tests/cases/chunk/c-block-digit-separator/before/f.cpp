void f() {
  int n = 1'000;
}
void g() {
}
