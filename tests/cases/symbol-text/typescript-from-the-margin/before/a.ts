export class D {
    p() {
        log(1);
    }
    q() {
    }
}
