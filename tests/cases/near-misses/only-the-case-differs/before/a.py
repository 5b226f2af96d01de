foo = 1
x = 1
