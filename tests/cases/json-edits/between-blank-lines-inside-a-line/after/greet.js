function greet(who, name) {
  console.log("Hello, " + name);
}
