def test():
    # admin user
    user = make(role=1)
    check(user)

    # guest user
    user = make(role=0)
    check(user)
