function f(x) {
  return x++ /{/.length;
}
const k = 1;
