a = 1
b = 2
new = compute(1)
c = 3
