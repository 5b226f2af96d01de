f = lambda: 1
