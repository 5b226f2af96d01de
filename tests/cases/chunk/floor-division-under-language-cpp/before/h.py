q = a // b
q = a // c
