items = [
    3,
    1,
]
