def f():
    x = 1

def g():
    x = 10
