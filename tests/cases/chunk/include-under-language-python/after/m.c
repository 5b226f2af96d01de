#include <b.h>
int x;
