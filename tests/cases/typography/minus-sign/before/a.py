x = a - b
