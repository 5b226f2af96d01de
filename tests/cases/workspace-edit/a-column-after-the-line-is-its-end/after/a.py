a!
b
