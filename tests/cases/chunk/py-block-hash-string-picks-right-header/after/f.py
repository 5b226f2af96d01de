if s == "#a":
    x()
if s == "#b":
    z()
