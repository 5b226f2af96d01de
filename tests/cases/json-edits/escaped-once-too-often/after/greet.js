function greet(name) {
  console.log("Bye, " + name);
}
