auto g = "src/*";
int n = 1;
int k = 2;
