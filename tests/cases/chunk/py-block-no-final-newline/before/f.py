x = 1
def f():
    a()