zero
one
TWO
THREE
four
five
