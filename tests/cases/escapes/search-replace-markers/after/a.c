if (a <= b) {
  x();
}
