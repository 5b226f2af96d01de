x = 1  # one
y = 2
