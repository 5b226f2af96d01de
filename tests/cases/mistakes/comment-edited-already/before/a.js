use();

// edit <new>
// open it
class E {}
