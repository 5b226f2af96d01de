if (a <= b)
  x();
