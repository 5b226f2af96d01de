gamma()
gamma()
