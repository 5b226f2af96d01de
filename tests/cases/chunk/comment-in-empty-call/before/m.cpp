int f(/* n */);
