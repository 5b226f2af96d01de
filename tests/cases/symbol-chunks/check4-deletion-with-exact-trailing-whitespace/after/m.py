def norm(v):
    b = v.y	
    return a, b
