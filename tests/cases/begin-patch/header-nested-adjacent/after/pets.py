class Cat:
    def speak(self):
        return 'noise'

class Dog:
    def speak(self):
        return 'woof'
