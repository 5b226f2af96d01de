zero
one
x
y
four
