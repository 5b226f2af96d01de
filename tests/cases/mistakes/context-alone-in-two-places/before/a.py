a()
b()
a()
b()
