// the key.
const Key = 1
