function f() {}
let z;
