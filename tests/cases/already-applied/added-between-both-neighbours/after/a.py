a
b
c
c
