import re
}
y = 2
x = 1
