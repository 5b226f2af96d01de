#ifdef _WIN32
int pid(void) {
    return 1;
}
#endif
