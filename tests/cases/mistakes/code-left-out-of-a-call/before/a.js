try {
  if (x) {
    return 1
  }
  throw err
}
