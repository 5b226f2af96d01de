a a a
