// done
int x;
