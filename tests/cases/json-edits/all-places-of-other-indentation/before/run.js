if (a) {
  stop();
  clear();
}
if (b) {
  if (c) {
    stop();
    clear();
  }
}
