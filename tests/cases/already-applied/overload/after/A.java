class A {
  int add(int a) {
    return a;
  }

  int add(int a, int b) {
    return a + b;
  }
}
