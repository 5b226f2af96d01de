x = 1
y = z
