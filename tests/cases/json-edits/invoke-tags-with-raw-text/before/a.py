if a < b and "q" in c:
    go()
