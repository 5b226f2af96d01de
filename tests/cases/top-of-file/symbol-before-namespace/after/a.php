<?php
namespace A;
use C;
class B {
}
