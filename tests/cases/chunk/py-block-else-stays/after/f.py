if z:
    y()
else:
    c()
