int t = a /* lhs */ + b;
