class A {
  f() { return 2 }
  g() { return 1 }
}
