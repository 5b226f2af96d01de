int f();
int g() {
    return 1;
}
