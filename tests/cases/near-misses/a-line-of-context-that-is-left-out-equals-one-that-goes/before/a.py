alpha()
alpha()
alpha()
beta = 1
beta = 1
alpha()
