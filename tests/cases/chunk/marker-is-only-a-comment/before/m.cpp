// TODO: old
int x;
