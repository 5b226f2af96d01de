/* eslint-disable no-console */
const a = 1;
function f() {
}
