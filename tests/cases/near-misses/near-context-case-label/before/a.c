int f(char c) {
    switch (c) {
    case 'a':
        return first(c);
    case 'b':
        return other(c);
    }
    return 0;
}
