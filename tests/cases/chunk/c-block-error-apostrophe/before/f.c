void f() {
#error don't
}
int z;
