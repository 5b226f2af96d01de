let a = "x";
