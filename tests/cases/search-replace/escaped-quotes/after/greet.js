function greet(name) {
  console.log("Hello, " + name);
  log.write("\"greeted\"");
}
