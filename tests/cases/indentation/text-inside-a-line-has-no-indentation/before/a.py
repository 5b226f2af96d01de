def f():
    if a:
        x = 1
        y = 2
    return 0
