class A {
  int add(int a) {
    return a;
  }
}
