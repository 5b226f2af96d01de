void f() {
  a();
} // f
int z;
