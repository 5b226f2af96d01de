// old
int x; // ex
int y;
