int g();
