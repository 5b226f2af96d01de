const a = 1;

function zero() {
  zero1();
  zero2();
  zero3();
  zero4();
}

function one() {
  open();
  close();
}

function two() {
  first(1);
  added(5);
  second(2);
  fourth(4);
  last(9);
}

const z = 26;
