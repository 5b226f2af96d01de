class A {
  f() { return 1 }
  g() { return 1 }
}
