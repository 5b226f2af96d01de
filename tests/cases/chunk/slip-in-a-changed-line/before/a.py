alpha = start()
beta = 2
