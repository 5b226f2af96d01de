do {
  a();
} while (x);
int z;
