try:
    a()
except E:
    y()
finally:
    q()
