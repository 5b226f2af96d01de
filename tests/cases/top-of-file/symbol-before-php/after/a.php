<?php
const A = 1;
// Adds.
function f() {
}
