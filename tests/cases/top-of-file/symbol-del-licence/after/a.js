/* Copyright X */

function g() {
}
