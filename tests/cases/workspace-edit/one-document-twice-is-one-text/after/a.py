bbb c
