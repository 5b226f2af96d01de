#include <map>
int x;
