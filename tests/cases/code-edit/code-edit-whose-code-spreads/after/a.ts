const a = 1;
const b = {...rest};
const c = 3;
