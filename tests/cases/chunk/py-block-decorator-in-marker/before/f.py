@a
@b
def f():
    x()
y()
