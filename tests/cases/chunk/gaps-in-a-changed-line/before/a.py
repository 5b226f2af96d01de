def f():
    if a:
        go()
    return 1
