auto g = "src/*";
int n = 5;
int k = 2;
