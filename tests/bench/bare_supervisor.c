/* Ours in `make bench-init`: what build/init becomes once the early mounts are there, and nothing else of it. */
#include "supervise/supervise.h"

int main(void)
{
	supervise(&(struct supervise_options){.table = "/run/services.table"});
}
