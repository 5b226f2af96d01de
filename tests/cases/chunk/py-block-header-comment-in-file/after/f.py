def f():
    b()
x = 1
