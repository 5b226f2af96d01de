class Cat:
    legs = 4
    def speak(self):
        return 'noise'

class Dog:
    legs = 4
    def speak(self):
        return 'woof'
