try:
    z()
except E:
    y()
c()
