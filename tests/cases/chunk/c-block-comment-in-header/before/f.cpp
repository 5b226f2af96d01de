void f(int a) // note {
{
    a++;
}
int z;
