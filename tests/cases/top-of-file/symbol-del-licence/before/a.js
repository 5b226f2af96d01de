/* Copyright X */
/** Doc. */
function f() {
}

function g() {
}
