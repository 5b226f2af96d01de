// Copyright X
// All rights reserved
const a = 1;
function f() {
}
