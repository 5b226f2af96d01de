def norm(v):
    a = float(v.x)
    b = v.y	
    return a, b
