void init()
{
    go();
}

void stop()
{
}

int tail;
