export class D {
    p() {
        log(2);
    }
    q() {
    }
}
