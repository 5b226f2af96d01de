int pid(void);

int other(void) {
    return 2;
}
