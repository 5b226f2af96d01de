void f() {
  char c = '}';
  char d = '\'';
}
int z;
