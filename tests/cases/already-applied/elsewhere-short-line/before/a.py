a
new
b
