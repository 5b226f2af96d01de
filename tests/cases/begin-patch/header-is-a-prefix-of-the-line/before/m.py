class Coin(Base, Mixin):
    rate = 1
class Note(Base, Mixin):
    rate = 1
