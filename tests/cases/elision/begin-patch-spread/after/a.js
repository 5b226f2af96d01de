f({
  ...rest,
  b,
})
