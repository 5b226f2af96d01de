try:
    z()
except E:
    y()
except E:
    b()
c()
