function f() {
}
let z;
