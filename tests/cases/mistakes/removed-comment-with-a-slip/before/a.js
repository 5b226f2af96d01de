a();
// remove the oldest session
b();
