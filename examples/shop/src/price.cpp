#include "price.h"
#include "debug.h"

// Prices are kept in cents.
long Price::total(int count) const
{
    long sum = 0;            // "{" in a comment is no block
    for (int i = 0; i < count; ++i) {
        sum += cents_;
    }
    return sum;
}

long Price::discount(int percent) const
{
    return cents_ * (100 - percent) / 100;
}
