/* Whether the processor is QEMU's emulation (TCG), where vector instructions cost more than they save.
 *
 * sha256 by AVX2 took 4.7 s for 96 MiB of the root there, by plain C 1.2 s; every block of the root goes through it.
 * SHA's own instructions are one step each, so an emulation that has them is fast. Source: QEMU's target/i386/cpu.c
 * (leaf 0x40000000 says TCGTCGTCGTCG).
 */
#include "boot/modules.h"

#include <cpuid.h>
#include <string.h>

#define HYPERVISOR 0x40000000U
#define HAS_HYPERVISOR (1U << 31) /* leaf 1, ecx */
#define HAS_SHA (1U << 29)	  /* leaf 7, ebx */

bool vectors_are_slow(void)
{
	unsigned a, b, c, d, sha = 0;
	char name[12];

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & HAS_HYPERVISOR))
		return false;
	if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
		sha = b & HAS_SHA;
	__cpuid(HYPERVISOR, a, b, c, d);
	memcpy(name, &b, 4);
	memcpy(name + 4, &c, 4);
	memcpy(name + 8, &d, 4);
	return !sha && !memcmp(name, "TCGTCGTCGTCG", sizeof name);
}
