a
c