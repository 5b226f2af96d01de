class A {
  foo() {
    if (a) {
      b();
    }
    return 1;
  }
}
