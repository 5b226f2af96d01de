    work()
def late():
    rest()
