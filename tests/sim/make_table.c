/* make_table FOLDER TABLE: the compiled table of a folder of service files, for tests that run the real init. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/check_services.h"
#include "lib/file.h"
#include "lib/service_table.h"

static struct service_set set;

int main(int argc, char **argv)
{
	struct buf buf = {0};
	struct err err = {""};
	int r, fd;

	if (argc != 3)
		return 2;
	r = service_set_load(argv[1], &set, &err);
	if (!r)
		r = service_table_encode(&set, &buf, &err);
	if (r < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	fd = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0644);
	return fd < 0 || write_all(fd, buf.data, buf.len) < 0;
}
