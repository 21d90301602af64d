/* How qsort and bsearch want to know which of two numbers is less: a difference would not fit an int. */
#ifndef KEELSON_ORDER_H
#define KEELSON_ORDER_H

#include <stdint.h>

static inline int order_of(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

#endif
