const x = 1

const banner = `/*!
  * ${pkg.name} v${pkg.version}
  * (c) ${year()} ${authors(pkg)}
  */`
const y0 = {
  a: 1,
    b: 2,
}
const y1 = {
  a: 1,
    b: 2,
}
const y2 = {
  a: 1,
    b: 2,
}
const y3 = {
  a: 1,
    b: 2,
}
const y4 = {
  a: 1,
    b: 2,
}
const y5 = {
  a: 1,
    b: 2,
}
