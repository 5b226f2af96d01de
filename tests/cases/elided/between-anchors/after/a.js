import a from "a";

function one(x) {
  const y = x + 1;
  log(y);
  return y;
}

function two(x) {
  return x;
}
