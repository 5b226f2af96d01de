open(a);
v;
open(b); // second
v;
