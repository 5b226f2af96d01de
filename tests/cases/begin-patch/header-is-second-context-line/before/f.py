# doc
def go():
    slow()
