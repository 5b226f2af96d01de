import b
import a
z
