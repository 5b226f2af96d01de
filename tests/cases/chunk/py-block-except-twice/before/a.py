try:
    a()
except E:
    b()
c()
