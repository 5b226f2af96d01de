a
B
c
d
e
f
g
