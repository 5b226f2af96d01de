function f(x: string) {
  return 0;
}
const k = 1;
