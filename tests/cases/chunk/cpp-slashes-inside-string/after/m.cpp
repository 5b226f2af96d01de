auto a = "http://one";
auto a = "-";
