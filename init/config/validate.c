/* keelson validate FILE...: what a node would say about a document, said on a workstation. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/document.h"
#include "config/not_yet.h"
#include "config/schema.h"
#include "keelson.h"
#include "lib/cleanup.h"
#include "lib/file.h"

/* Twice what may be in it: it may be packed, and a document that is too long deserves the document's own message. */
#define FILE_MAX_BYTES (2 * USER_DATA_MAX_BYTES)

static void print_usage(FILE *to)
{
	fputs("usage: keelson validate FILE...    check user-data; - reads standard input\n"
	      "       keelson validate --keys     list every key with its type, default and meaning\n"
	      "       keelson validate --schema   print the JSON schema for editors\n"
	      "exit status: 0 valid (warnings too), 1 invalid, 2 unreadable or usage\n",
	      to);
}

static void print_keys(void)
{
	for (const struct key *key = schema_keys; key->path; key++) {
		const char *note = key->flags & KEY_REFUSED   ? " (refused)"
				   : key->flags & KEY_IGNORED ? " (ignored)"
							      : "";

		char later[NOT_YET_NOTE_BYTES];

		not_yet_note(key->path, later, sizeof later);
		if (*note)
			printf("%s%s\n    %s\n", key->path, note, key->help);
		else
			printf("%s: %s%s%s%s\n    %s%s\n", key->path,
			       key->words ? key->words : type_infos[key->type].name,
			       key->flags & KEY_REQUIRED ? ", required" : "", key->standard ? ", default: " : "",
			       key->standard ? key->standard : "", key->help, later);
	}
}

static int print_schema(void)
{
	json_t *schema = schema_to_json();
	int r = json_dumpf(schema, stdout, JSON_INDENT(2));

	json_decref(schema);
	putchar('\n');
	return r < 0;
}

static int validate_file(const char *path)
{
	_cleanup_(buf_free) struct buf bytes = {0}, text = {0};
	_cleanup_(document_free) struct document document = {0};
	bool standard_input = !strcmp(path, "-");
	const char *name = standard_input ? "user-data" : path;
	const char *role;
	struct err err;
	int r = standard_input ? file_read_fd(STDIN_FILENO, FILE_MAX_BYTES, &bytes, &err)
			       : file_read(path, FILE_MAX_BYTES, &bytes, &err);

	if (r < 0) {
		fprintf(stderr, "keelson validate: %s\n", err.text);
		return 2;
	}
	r = document_read(buf_string(&bytes), bytes.len, &document);
	report_print(&document.report, name, &text);
	fputs(buf_string(&text), stderr);
	if (r == -ENOMEM)
		fputs("keelson validate: no memory\n", stderr);
	if (r < 0)
		return r == -ENOMEM ? 2 : 1;
	role = values_string(document.values, "keelson.role");
	printf("%s: valid, role %s\n", name, role ? role : schema_default("keelson.role"));
	return 0;
}

int validate_main(int argc, char **argv)
{
	int worst = 0;

	if (argc == 2 && !strcmp(argv[1], "--keys")) {
		print_keys();
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "--schema"))
		return print_schema();
	if (argc == 2 && !strcmp(argv[1], "--help")) {
		print_usage(stdout);
		return 0;
	}
	if (argc < 2 || (argv[1][0] == '-' && argv[1][1])) {
		print_usage(stderr);
		return 2;
	}
	for (int i = 1; i < argc; i++) {
		int r = validate_file(argv[i]);

		worst = r > worst ? r : worst;
	}
	return worst;
}
