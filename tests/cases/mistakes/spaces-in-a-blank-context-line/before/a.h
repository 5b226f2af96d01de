x;
  
license;
y;
