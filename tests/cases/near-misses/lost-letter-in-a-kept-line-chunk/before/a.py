total = count(x)
y = 1
