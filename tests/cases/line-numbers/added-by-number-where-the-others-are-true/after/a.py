x
y
z
b
q
r
new
s
