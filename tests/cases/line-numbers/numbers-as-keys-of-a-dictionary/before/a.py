NAMES = {
}
