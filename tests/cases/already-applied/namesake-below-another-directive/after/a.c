#ifdef _WIN32
int pid(void) {
    return 1;
}
#else
int pid(void) {
    return getpid();
}
#endif
