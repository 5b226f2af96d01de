if x:
    gamma()
    delta()
