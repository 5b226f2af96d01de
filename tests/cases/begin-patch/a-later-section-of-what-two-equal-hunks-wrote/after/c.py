alpha()
