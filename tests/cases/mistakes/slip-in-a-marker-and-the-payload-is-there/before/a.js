a()

const total = 1

export default {
