function f(x) {
  return 0;
}
