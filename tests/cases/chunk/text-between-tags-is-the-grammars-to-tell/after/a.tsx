function f(x: string) {
  return 0;
}
