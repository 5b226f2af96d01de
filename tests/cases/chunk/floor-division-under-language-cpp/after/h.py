q = a // b
q = 0
