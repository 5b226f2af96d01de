g()
g()
g()
g()
