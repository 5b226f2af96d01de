K::K(V v = {}) : a{1}, b{2}
{
    go();
}
int z;
