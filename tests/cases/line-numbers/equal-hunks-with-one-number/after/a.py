b
x
b
r
