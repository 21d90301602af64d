#!/bin/sh
# musl-gcc, with the kernel's headers, which it does not look for by itself.
#
# A directory of links keeps glibc's headers, which lie beside the kernel's, out of sight.
set -eu

headers=${XDG_CACHE_HOME:-$HOME/.cache}/keelson/kernel-headers
if [ ! -e "$headers/asm/unistd.h" ]; then
	mkdir -p "$headers"
	for d in linux asm-generic mtd misc scsi; do
		ln -sfn "/usr/include/$d" "$headers/$d"
	done
	ln -sfn /usr/include/x86_64-linux-gnu/asm "$headers/asm"
fi
exec musl-gcc -idirafter "$headers" "$@"
