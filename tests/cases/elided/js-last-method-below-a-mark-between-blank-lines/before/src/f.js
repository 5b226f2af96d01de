class Logger {
    info(msg) {
        console.log("i", msg)
    }

    warn(msg) {
        console.log("w", msg)
    }

    debug(msg) {
        console.log("d", msg)
    }
}
