#!/bin/bash
# Run test targets one after the other and end with one line that counts all of them: "N passed, N failed".
#
# A target that ends without its own such line, or with an error that it counts nowhere, is one failure.
#
# usage: all.sh TARGET...    (MAKE in the environment, as make sets it)
set -u

passed=0
failed=0
for target in "$@"; do
	echo "== $target"
	log=$(mktemp)
	started=$SECONDS
	${MAKE:-make} --no-print-directory "$target" 2>&1 | tee "$log"
	status=${PIPESTATUS[0]}
	line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)
	rm -f "$log"
	ok=$(echo "${line:-0 passed}" | sed 's/ passed.*//')
	bad=$(echo "${line:-0 passed, 1 failed}" | sed 's/.*, \([0-9]*\) failed.*/\1/')
	[ "$status" -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
	passed=$((passed + ok))
	failed=$((failed + bad))
	echo "== $target: $((SECONDS - started)) s"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
