import a from "a";

function one(x) {
  return 1;
}

function two(x) {
  return x;
}
