auto a = "http://one";
