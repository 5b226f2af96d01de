if s:
    z()
y()
