axy
