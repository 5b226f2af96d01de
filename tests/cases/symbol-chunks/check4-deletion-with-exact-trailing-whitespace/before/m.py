def norm(v):
    a = v.x   
    b = v.y	
    return a, b
