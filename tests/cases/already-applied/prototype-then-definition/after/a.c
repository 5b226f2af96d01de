int pid(void);

int other(void) {
    return 2;
}

int pid(void)
{
    return 1;
}
