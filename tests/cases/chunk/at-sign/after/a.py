@other
def f(): pass
