do {
  b();
} while (x);
int z;
