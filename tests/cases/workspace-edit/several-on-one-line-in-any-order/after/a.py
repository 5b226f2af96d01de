b a c
