@dec
def f(): pass
