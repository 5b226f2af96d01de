static int
sum(int a, int b)
{
    return 0;
}
int z;
