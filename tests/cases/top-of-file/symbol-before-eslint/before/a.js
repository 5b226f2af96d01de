/* eslint-disable no-console */
function f() {
}
