a(); // admin
b(1);
a(); // guest
b(0);
