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
  second(2);
  third(3);
  fourth(4);
  last(9);
}

const z = 26;
