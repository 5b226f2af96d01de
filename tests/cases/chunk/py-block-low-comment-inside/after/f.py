def f():
    c()

x = 1
