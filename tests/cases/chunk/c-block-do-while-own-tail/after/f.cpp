do {
  b();
} while (y);
int z;
