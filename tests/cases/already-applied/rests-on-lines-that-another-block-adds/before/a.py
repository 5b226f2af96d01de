a
x
