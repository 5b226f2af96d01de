class Logger {
    constructor(prefix) {
        this.prefix = prefix
    }

    info(msg) {
        console.log(this.prefix, "i", msg)
    }

    warn(msg) {
        console.log("w", msg)
    }

    debug(msg) {
        console.log("d", msg)
    }

    fatal(msg) {
        process.exit(1)
    }
}
