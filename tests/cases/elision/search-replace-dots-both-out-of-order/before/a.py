x = 1
mid = 3
y = 2
