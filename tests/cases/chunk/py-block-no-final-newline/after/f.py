x = 1
def f():
    b()