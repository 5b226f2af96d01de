if a == b:
    go()
