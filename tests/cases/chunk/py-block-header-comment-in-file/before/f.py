def f():  # entry
    a()
x = 1
