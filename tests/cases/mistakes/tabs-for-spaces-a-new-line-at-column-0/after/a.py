if x:
    gamma()
alpha()
    delta()
