a("x\n")
b()
