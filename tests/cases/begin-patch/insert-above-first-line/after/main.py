import z
import a
import b
