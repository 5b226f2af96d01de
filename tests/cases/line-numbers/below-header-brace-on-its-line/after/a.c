int f(void) {
    int z = 1;
    return 1;
}
