function f() {
  return /[}'"]/.test(x);
}
let z;
