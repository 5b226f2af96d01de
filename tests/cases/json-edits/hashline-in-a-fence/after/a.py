one
four
five
