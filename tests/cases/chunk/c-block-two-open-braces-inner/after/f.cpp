class A {
  void g() {
  }
  int x;
};
int z;
