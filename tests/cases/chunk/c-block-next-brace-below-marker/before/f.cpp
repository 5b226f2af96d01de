void f()
// note
{
  a();
}
int z;
