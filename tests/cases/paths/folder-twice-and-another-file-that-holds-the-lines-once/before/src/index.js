export {
  a,
  b,
  c
};
export default {
  a,
  b,
  c
};
