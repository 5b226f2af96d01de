function f() {
  const s = `}`;
  a();
}
let z;
