if (a) {
  stop();
  flush();
  clear();
}
if (b) {
  if (c) {
    stop();
    flush();
    clear();
  }
}
