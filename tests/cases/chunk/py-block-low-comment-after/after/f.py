def f():
    c()
# low
x = 1
