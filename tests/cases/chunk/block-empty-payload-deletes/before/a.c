int a;
void f() {
  x();
}
int b;
