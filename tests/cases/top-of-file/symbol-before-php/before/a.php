<?php
// Adds.
function f() {
}
