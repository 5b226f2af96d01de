#include <map>
#include <set>
int x;
