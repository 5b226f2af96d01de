auto a = "http://one";
auto a = "http://two";
