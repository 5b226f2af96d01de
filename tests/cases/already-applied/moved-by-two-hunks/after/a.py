import a
import b
z
