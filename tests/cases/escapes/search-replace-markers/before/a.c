if (a < b) {
  x();
}
