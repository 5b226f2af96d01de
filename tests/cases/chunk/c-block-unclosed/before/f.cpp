void f() {
  a();
