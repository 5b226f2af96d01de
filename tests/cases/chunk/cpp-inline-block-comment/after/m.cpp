int t = 0;
