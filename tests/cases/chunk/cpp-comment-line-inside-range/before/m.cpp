int x;
// explains y

int y;
int z;
