void f(int a)
{
}
int z;
