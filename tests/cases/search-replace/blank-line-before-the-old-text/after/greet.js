function greet(name, loud) {
  console.log("Hello, " + name);
}
