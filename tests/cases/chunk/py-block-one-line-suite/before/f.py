if a: b()
x = 1
