use a;

fn one() {
    run(1);
}

fn two() {
    run(2);
    stop();
}
fn three() {
    run(3);
}
