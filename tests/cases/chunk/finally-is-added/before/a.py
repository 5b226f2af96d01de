try:
    a()
except E:
    b()
