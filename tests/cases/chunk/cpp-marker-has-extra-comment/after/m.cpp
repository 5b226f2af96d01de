int z = 3;
