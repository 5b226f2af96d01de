/*
 * Copyright X
 */
/** Doc. */
function f() {
}
