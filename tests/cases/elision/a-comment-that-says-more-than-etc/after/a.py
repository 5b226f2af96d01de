A = 1
# limits, sizes etc.
B = 3
