a
x
b
