import a from "a";

function one(x) {
  const y = x + 1;
  return y;
}

function two(x) {
  return x;
}
