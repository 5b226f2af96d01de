class A {
  foo() {
    if (a) {
      log();
      b();
    }
    return 1;
  }
}
