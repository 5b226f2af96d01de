a
new
b
c
