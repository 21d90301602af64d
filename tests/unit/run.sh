#!/bin/sh
# Run cmocka programs; end with one line "N passed, N failed". A program that crashes counts as one failure.
passed=0
failed=0
for program in "$@"; do
	log=$program.log
	if "$program" >"$log" 2>&1; then
		status=0
	else
		status=$?
	fi
	ok=$(grep -c '^\[       OK \]' "$log")
	bad=$(grep -c '^\[  FAILED  \] [^0-9]*$' "$log")
	if [ "$status" -ne 0 ]; then
		[ "$bad" -gt 0 ] || bad=1
		echo "--- $program: exit status $status"
		tail -n 60 "$log"
	elif [ "$ok" -eq 0 ]; then
		echo "--- $program: expected at least one test, ran none"
		bad=1
	fi
	passed=$((passed + ok))
	failed=$((failed + bad))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
