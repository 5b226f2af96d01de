#![allow(x)]
use a;
fn f() {
}
