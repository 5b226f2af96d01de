@wrap
def f():
    a()

x = 1
