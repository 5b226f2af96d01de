class A {
  void f() {
    a();
  }
  int x;
};
int z;
