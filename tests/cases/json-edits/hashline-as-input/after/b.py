two
three
four
