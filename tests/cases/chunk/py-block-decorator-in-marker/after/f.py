def f():
    z()
y()
