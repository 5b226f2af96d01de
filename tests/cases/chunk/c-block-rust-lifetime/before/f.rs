fn f<'a>(x: &'a str) {
  g('}');
}
fn h() {}
