def f():
    a()
# low
x = 1
