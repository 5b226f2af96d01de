n = 0; // first
n = 2; // second
