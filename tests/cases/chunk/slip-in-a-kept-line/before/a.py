alpha = start()
beta = 2
gamma = 3
