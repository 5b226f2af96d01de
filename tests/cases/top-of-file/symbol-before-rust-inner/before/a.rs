#![allow(x)]
fn f() {
}
