class E {
}
