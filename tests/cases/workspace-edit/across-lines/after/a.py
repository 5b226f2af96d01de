on-ree
