import a from "a";
import b from "b";

function one(x) {
  const y = x + 1;
  return y;
}

function two(x) {
  return x;
}
