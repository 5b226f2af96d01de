function f(x: string) {
  return <p>a /* b {x} </p>;
}
