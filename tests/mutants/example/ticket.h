/* What a ticket costs: the example that the mutants' machinery is tried with, see check_machinery.py. */
#ifndef KEELSON_TICKET_H
#define KEELSON_TICKET_H

#include <stdbool.h>

int ticket_price(int age);
unsigned ticket_weekday(unsigned day);
unsigned ticket_digits(unsigned number);
bool ticket_is_cheap(int price);
bool ticket_is_for_sunday(int day);

#endif
