items = [
    1,
]
