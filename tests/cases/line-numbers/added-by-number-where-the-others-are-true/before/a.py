x
y
z
a
q
r
s
