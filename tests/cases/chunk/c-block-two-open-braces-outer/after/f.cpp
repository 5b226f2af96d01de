class A {
  int y;
};
int z;
