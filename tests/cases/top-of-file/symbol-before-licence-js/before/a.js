// Copyright X
// All rights reserved
function f() {
}
