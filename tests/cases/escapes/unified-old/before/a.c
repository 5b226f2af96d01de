if (a < b)
  x();
