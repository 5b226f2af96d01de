void boot() {}
void halt() {
}
