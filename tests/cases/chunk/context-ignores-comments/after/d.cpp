open(a);
v;
open(b); // second
w;
