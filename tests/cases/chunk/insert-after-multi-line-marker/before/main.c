void init()
{
    go();
}

int tail;
