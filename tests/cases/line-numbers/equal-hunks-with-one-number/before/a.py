a
x
a
r
