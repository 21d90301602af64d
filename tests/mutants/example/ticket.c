/* What a ticket costs. ticket_test.c says for each function how well it is tested. */
#include "ticket.h"

int ticket_price(int age)
{
	return age < 6 ? 0 : 4;
}

/* A bound that is always kept: to move it changes nothing. */
unsigned ticket_weekday(unsigned day)
{
	return day % 7 < 7 ? day % 7 : 0;
}

unsigned ticket_digits(unsigned number)
{
	unsigned digits = 1;

	while (number >= 10) {
		number /= 10;
		digits++;
	}
	return digits;
}

bool ticket_is_cheap(int price)
{
	return price < 3;
}

bool ticket_is_for_sunday(int day)
{
	return day == 7;
}
