def f():
    if a:
        x = 5
        y = 2
    return 0
