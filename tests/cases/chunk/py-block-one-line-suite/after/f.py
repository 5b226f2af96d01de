if a: c()
x = 1
