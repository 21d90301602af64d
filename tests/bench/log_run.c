/* log_run: the ./run of a logger in `make bench-init`: executes what the file `command` says, a word a line.
 *
 * s6 and runit have a script there. A program that costs no shell is kinder to them, and so is what is compared.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define WORDS 16

int main(void)
{
	static char text[1024];
	char *words[WORDS] = {NULL}, *rest = text;
	int fd = open("command", O_RDONLY | O_CLOEXEC);

	if (read(fd, text, sizeof text - 1) <= 0)
		return 1;
	for (unsigned k = 0; k < WORDS - 1 && rest && *rest; k++)
		words[k] = strsep(&rest, "\n");
	execv(words[0], words);
	return 1;
}
