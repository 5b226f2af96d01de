if a:
    if z:
        y()
    else:
        q()
else:
    b()
