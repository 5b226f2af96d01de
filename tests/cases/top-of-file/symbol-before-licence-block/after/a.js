/*
 * Copyright X
 */
const a = 1;
/** Doc. */
function f() {
}
