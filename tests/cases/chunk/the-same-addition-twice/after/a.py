def f():
    if a:
        go()
    x = 1
    return 1
