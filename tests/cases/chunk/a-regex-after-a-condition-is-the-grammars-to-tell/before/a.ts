function f(x: string) {
  if (x) /[{]/.test(x);
  return 1;
}
const k = 1;
