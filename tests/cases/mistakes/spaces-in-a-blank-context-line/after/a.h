x;
  
added;
license;
y;
