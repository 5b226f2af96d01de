n = 0; // first
n = 0; // second
