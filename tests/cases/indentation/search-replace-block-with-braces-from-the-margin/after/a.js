class A {
  foo() {
    if (a) {
      b();
      c();
    } else {
      d();
    }
    return 1;
  }
}
