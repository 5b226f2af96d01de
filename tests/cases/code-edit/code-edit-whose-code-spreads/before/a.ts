const a = 1;
const b = {};
const c = 3;
