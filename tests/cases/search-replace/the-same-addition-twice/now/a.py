a
x
x
b
