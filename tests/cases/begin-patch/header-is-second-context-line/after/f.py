# doc
def go():
    fast()
