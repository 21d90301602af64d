/* In every source that mutants.py has changed: which of its mutants is alive, and which of them a test came by. */
#ifndef KEELSON_MUTANT_H
#define KEELSON_MUTANT_H

#define MUTANTS_MOST 65536

extern int mutant;
extern unsigned char *mutants_seen;

#define MUTANT(n) (mutants_seen[n] = 1, mutant == (n))

#endif
