if (armed) {
    start();
    note();
} else {
    wait();
}
