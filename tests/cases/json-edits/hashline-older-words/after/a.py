one
TWO
three
3.5
