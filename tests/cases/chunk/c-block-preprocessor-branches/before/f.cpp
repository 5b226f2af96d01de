void boot() {
#ifdef FAST
    if (warm) {
#else
    if (cold) {
#endif
        go();
    }
}
void halt() {
}
