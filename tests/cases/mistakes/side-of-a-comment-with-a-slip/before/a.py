# note
    gamma()
