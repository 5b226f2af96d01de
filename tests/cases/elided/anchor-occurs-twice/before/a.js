a();
run();
b();
run();
