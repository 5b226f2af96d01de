void f() {
  auto s = R"x( " } )x";
  a();
}
int z;
