fn f() {}
fn h() {}
