def f():
    a()
# switched off
    b()

x = 1
