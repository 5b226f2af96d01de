one
TWO
three
four
five
