function f(x) {
  while (x) /{/.exec(x);
}
