class Coin:
    rate = 1
class Note:
    rate = 1
