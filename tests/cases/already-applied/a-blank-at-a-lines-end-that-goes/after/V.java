class V {
  // legacy and new
  int p() {}
}
