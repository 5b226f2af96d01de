a = 1
# about c
c = 3
