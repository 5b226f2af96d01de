x
a
