/* The CRI client against a small server that speaks just enough HTTP/2, or on purpose does not. */
#include "cluster/cri.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "cluster/protobuf.h"
#include "lib/file.h"
#include "unit/test.h"

static char directory[] = "/tmp/keelson-cri-XXXXXX";
static char socket_path[64];

/* What the server sends, once per connection, after it has read a request. */
struct script {
	const char *bytes;
	size_t len;
	bool hang; /* keep the connection open and silent */
};

static const char refusal[] = "\0\0\0\4\0\0\0\0\0"	/* SETTINGS */
			      "\0\0\1\1\5\0\0\0\1\x88"; /* HEADERS, END_STREAM: trailers alone */
static const char version[] = "\0\0\0\4\0\0\0\0\0"
			      "\0\0\1\1\4\0\0\0\1\x88"	 /* HEADERS */
			      "\0\0\3\0\0\0\0\0\1\0\0\0" /* DATA, in two frames */
			      "\0\0\xe\0\0\0\0\0\1\0\xc\x12\xa"
			      "ContainerD"
			      "\0\0\1\1\5\0\0\0\1\x88";
static const char too_long[] = "\0\xff\xff\0\0\0\0\0\1";

static pid_t serve(const struct script *scripts, size_t count)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	pid_t pid;

	strcpy(at.sun_path, socket_path);
	unlink(socket_path);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
	assert_int_equal(listen(fd, 5), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		for (size_t i = 0; i < count; i++) {
			int connection = accept(fd, NULL, NULL);
			char request[1024];

			if (read(connection, request, sizeof request) < 24 || memcmp(request, "PRI * HTTP/2.0", 14))
				_exit(1);
			if (write(connection, scripts[i].bytes, scripts[i].len) < 0)
				_exit(2);
			if (scripts[i].hang)
				pause();
			shutdown(connection, SHUT_WR);
			while (read(connection, request, sizeof request) > 0)
				;
			close(connection);
		}
		_exit(0);
	}
	close(fd);
	return pid;
}

static int ask(const struct script *scripts, size_t count, struct grpc_call *call, struct err *err)
{
	const struct cri_request request = {"RuntimeService/Version", "", 0};
	pid_t pid = serve(scripts, count);
	int r = cri_ask_one(socket_path, &request, call, 700, err);

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return r;
}

static void a_runtime_that_answers_is_understood(void **state)
{
	const struct script script = {version, sizeof version - 1, false};
	struct grpc_call call = {0};
	struct protobuf_field field;
	struct protobuf message;
	struct err err = {{0}};
	const void *data;
	size_t len;
	(void)state;

	if (ask(&script, 1, &call, &err) < 0)
		fail_msg("%s", err.text);
	data = grpc_message(&call, &len);
	assert_int_equal(len, 12);
	message = protobuf_of(data, len);
	assert_int_equal(protobuf_next(&message, &field), 1);
	assert_true(field.number == 2 && protobuf_is(&field, "ContainerD"));
	buf_free(&call.data);
}

static void an_older_runtime_is_asked_again_in_its_own_version(void **state)
{
	const struct script scripts[] = {{refusal, sizeof refusal - 1, false}, {version, sizeof version - 1, false}};
	struct grpc_call call = {0};
	struct err err = {{0}};
	(void)state;

	if (ask(scripts, 2, &call, &err) < 0)
		fail_msg("%s", err.text);
	buf_free(&call.data);
}

static void a_refusal_in_both_versions_is_an_error(void **state)
{
	const struct script scripts[] = {{refusal, sizeof refusal - 1, false}, {refusal, sizeof refusal - 1, false}};
	struct grpc_call call = {0};
	struct err err = {{0}};
	(void)state;

	assert_int_equal(ask(scripts, 2, &call, &err), -EIO);
	assert_string_equal(err.text, "CRI: RuntimeService/Version was refused");
	buf_free(&call.data);
}

static void a_stopped_runtime_costs_the_timeout_and_no_more(void **state)
{
	const struct script script = {version, 9, true};
	struct grpc_call call = {0};
	struct err err = {{0}};
	(void)state;

	assert_int_equal(ask(&script, 1, &call, &err), -ETIMEDOUT);
	assert_string_equal(err.text, "CRI: no answer in time");
	buf_free(&call.data);
}

static void count_waiting(void *arg, const struct grpc_call *calls, size_t count)
{
	assert_int_equal(count, 1);
	assert_int_equal(calls[0].state, GRPC_WAITING);
	++*(int *)arg;
}

static void who_waits_is_told_again_and_again(void **state)
{
	const struct script script = {version, 9, true};
	const struct cri_request request = {"RuntimeService/StopContainer", "", 0};
	int told = 0;
	const struct cri_progress progress = {count_waiting, &told, 100};
	struct grpc_call call = {0};
	struct err err = {{0}};
	pid_t pid = serve(&script, 1);
	(void)state;

	assert_int_equal(cri_ask(socket_path, &request, 1, &call, 700, &progress, &err), -ETIMEDOUT);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_in_range(told, 1, 7);
	buf_free(&call.data);
}

static void an_answer_cut_short_is_no_answer(void **state)
{
	const struct script script = {version, sizeof version - 20, false};
	struct grpc_call call = {0};
	struct err err = {{0}};
	(void)state;

	assert_int_equal(ask(&script, 1, &call, &err), -EPROTO);
	assert_string_equal(err.text, "CRI: the server closed the connection");
	buf_free(&call.data);
}

static void a_frame_beyond_the_bound_is_refused(void **state)
{
	const struct script script = {too_long, sizeof too_long - 1, true};
	struct grpc_call call = {0};
	struct err err = {{0}};
	(void)state;

	assert_int_equal(ask(&script, 1, &call, &err), -EPROTO);
	assert_string_equal(err.text, "CRI: HTTP/2: expected a frame of at most 16384 bytes, found 65535");
	buf_free(&call.data);
}

static void nobody_there_is_told_with_the_socket(void **state)
{
	const struct cri_request request = {"RuntimeService/Version", "", 0};
	struct grpc_call call = {0};
	struct err err = {{0}};
	(void)state;

	assert_int_equal(cri_ask_one("/tmp/no-such-socket", &request, &call, 700, &err), -ENOENT);
	assert_string_equal(err.text, "CRI: connect to /tmp/no-such-socket: No such file or directory");
}

/* Bytes from a server are hostile as any: nothing but an error or a state may come of them. */
static void random_frames_do_no_harm(void **state)
{
	unsigned seed = 1;
	(void)state;

	for (int round = 0; round < 20000; round++) {
		struct grpc_call call = {.stream = 1};
		struct buf in = {0}, out = {0};
		struct err err;
		char bytes[64];

		for (size_t i = 0; i < sizeof bytes; i++) {
			seed = seed * 1103515245 + 12345;
			bytes[i] = (char)(seed >> 16 & (i % 12 < 3 ? 0x1 : 0xf));
		}
		assert_int_equal(buf_add(&in, bytes, sizeof bytes), 0);
		grpc_take(&in, &out, &call, 1, &err);
		if (call.state == GRPC_ANSWERED) {
			struct protobuf_field field;
			struct protobuf message;
			const void *data;
			size_t len;

			data = grpc_message(&call, &len);
			message = protobuf_of(data, len);
			while (protobuf_next(&message, &field) == 1)
				;
		}
		buf_free(&call.data);
		buf_free(&in);
		buf_free(&out);
	}
}

static void broken_protocol_buffers_are_told(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} rows[] = {{"\x0a\x05xx", 4},
		    {"\x0a", 1},
		    {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11},
		    {"\x00", 1},
		    {"\x89\x80\x80\x80\x80\x80\x80\x80\x80\x80"
		     "12345678",
		     18}, /* a tag without its end */
		    {"\x0b", 1}};
	(void)state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct protobuf message = protobuf_of(rows[i].bytes, rows[i].len);
		struct protobuf_field field;

		assert_int_equal(protobuf_next(&message, &field), -EBADMSG);
	}
}

static int make(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(socket_path, sizeof socket_path, "%s/socket", directory);
	return 0;
}

static int unmake(void **state)
{
	(void)state;
	unlink(socket_path);
	return rmdir(directory);
}

/* Take frames for call 1; the answer that they bring lands in text, what we send in out. */
static int take_frames(const char *bytes, size_t len, struct grpc_call *call, struct buf *out, struct err *err)
{
	struct buf in = {0};
	int r;

	*call = (struct grpc_call){.stream = 1};
	assert_int_equal(buf_add(&in, bytes, len), 0);
	r = grpc_take(&in, out, call, 1, err);
	if (r == 0 && in.len)
		fail_msg("expected all frames to be taken, found %zu bytes left", in.len);
	buf_free(&in);
	buf_free(&call->data);
	return r;
}

#define frames(text, call, out, err) take_frames(text, sizeof(text) - 1, call, out, err)

static void settings_and_pings_are_answered_once(void **state)
{
	static const char answers[] = "\0\0\0\4\1\0\0\0\0"
				      "\0\0\x8\6\1\0\0\0\0abcdefgh";
	struct grpc_call call;
	struct buf out = {0};
	struct err err = {{0}};
	(void)state;

	assert_int_equal(frames("\0\0\0\4\0\0\0\0\0"
				"\0\0\x8\6\0\0\0\0\0abcdefgh",
				&call, &out, &err),
			 0);
	assert_int_equal(out.len, sizeof answers - 1);
	assert_memory_equal(out.data, answers, out.len);
	out.len = 0;
	assert_int_equal(frames("\0\0\0\4\1\0\0\0\0"
				"\0\0\x8\6\1\0\0\0\0abcdefgh",
				&call, &out, &err),
			 0);
	assert_int_equal(out.len, 0);
	assert_int_equal(call.state, GRPC_WAITING);
	assert_int_equal(frames("\0\0\1\6\0\0\0\0\0a", &call, &out, &err), -EPROTO);
	assert_string_equal(err.text, "HTTP/2: a frame that is none");
	assert_int_equal(frames("\0\0\0\7\0\0\0\0\0", &call, &out, &err), -EPROTO);
	assert_string_equal(err.text, "HTTP/2: the server closed the connection");
	buf_free(&out);
}

static void a_call_ends_with_its_stream_only(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		enum grpc_state state;
	} rows[] = {
		{"\0\0\1\1\4\0\0\0\1\x88", 10, GRPC_WAITING},
		{"\0\0\1\1\5\0\0\0\1\x88", 10, GRPC_REFUSED},
		{"\0\0\1\1\5\0\0\0\3\x88", 10, GRPC_WAITING}, /* of another call */
		{"\0\0\4\3\0\0\0\0\1\0\0\0\1", 13, GRPC_REFUSED},
		{"\0\0\0\0\0\0\0\0\1", 9, GRPC_WAITING},
		{"\0\0\0\0\1\0\0\0\1", 9, GRPC_REFUSED},
		{"\0\0\4\x8\1\0\0\0\1\0\0\0\1", 13, GRPC_WAITING},   /* a window that grows */
		{"\0\0\4\0\0\0\0\0\1\0\0\0\0", 13, GRPC_WAITING},    /* a prefix cut short */
		{"\0\0\5\0\0\0\0\0\1\0\0\0\0\0", 14, GRPC_ANSWERED}, /* an empty message */
		{"\0\0\5\0\0\0\0\0\1\0\0\0\0\1", 14, GRPC_WAITING},  /* one byte to come */
		{"\0\0\6\0\0\0\0\0\1\0\0\0\0\1x", 15, GRPC_ANSWERED},
		{"\0\0\5\0\1\0\0\0\1\0\0\0\0\1", 14, GRPC_REFUSED}, /* and it does not come */
	};
	struct grpc_call call;
	struct buf out = {0};
	(void)state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_int_equal(take_frames(rows[i].bytes, rows[i].len, &call, &out, NULL), 0);
		if (call.state != rows[i].state)
			fail_msg("frames %zu: expected state %d, found %d", i, rows[i].state, call.state);
	}
	assert_int_equal(out.len, 0);
}

static void padding_is_cut_off(void **state)
{
	struct grpc_call call;
	struct buf out = {0};
	struct err err = {{0}};
	(void)state;

	assert_int_equal(frames("\0\0\x8\0\x8\0\0\0\1\2\0\0\0\0\0pp", &call, &out, &err), 0);
	assert_int_equal(call.state, GRPC_ANSWERED);
	assert_int_equal(frames("\0\0\3\0\x8\0\0\0\1\2pp", &call, &out, &err), 0);
	assert_int_equal(call.state, GRPC_WAITING);
	assert_int_equal(frames("\0\0\3\0\x8\0\0\0\1\3pp", &call, &out, &err), -EPROTO);
	assert_string_equal(err.text, "HTTP/2: padding longer than its frame");
	assert_int_equal(frames("\0\0\0\0\x8\0\0\0\1", &call, &out, &err), -EPROTO);
}

static void part_of_a_frame_waits_for_the_rest(void **state)
{
	static const char frame[] = "\0\0\5\0\0\0\0\0\1\0\0\0\0\0";
	struct grpc_call call = {.stream = 1};
	struct buf in = {0}, out = {0};
	(void)state;

	for (size_t i = 0; i < sizeof frame - 1; i++) {
		assert_int_equal(call.state, GRPC_WAITING);
		assert_int_equal(buf_add(&in, frame + i, 1), 0);
		assert_int_equal(grpc_take(&in, &out, &call, 1, NULL), 0);
	}
	assert_int_equal(call.state, GRPC_ANSWERED);
	assert_int_equal(in.len, 0);
	buf_free(&call.data);
	buf_free(&in);
}

static void a_frame_is_as_long_as_it_may_be(void **state)
{
	char frame[9 + 16384] = "\0\x40\0\0\0\0\0\0\1"; /* as a prefix: a message of 0 bytes */
	struct grpc_call call;
	struct buf out = {0};
	struct err err = {{0}};
	(void)state;

	assert_int_equal(take_frames(frame, sizeof frame, &call, &out, &err), 0);
	frame[2] = 1;
	assert_int_equal(take_frames(frame, sizeof frame, &call, &out, &err), -EPROTO);
	assert_string_equal(err.text, "HTTP/2: expected a frame of at most 16384 bytes, found 16385");
}

static void a_request_that_does_not_fit_its_frames_is_refused(void **state)
{
	static char message[16384];
	struct buf out = {0};
	char path[122];
	(void)state;

	memset(path, 'p', sizeof path - 1);
	path[121] = 0;
	assert_int_equal(grpc_add_call(&out, 1, path, "", 0), -E2BIG);
	assert_int_equal(grpc_add_call(&out, 1, path + 1, "", 0), 0);
	assert_int_equal(grpc_add_call(&out, 1, "/p", message, 16384 - 4), -E2BIG);
	assert_int_equal(grpc_add_call(&out, 1, "/p", message, 16384 - 5), 0);
	buf_free(&out);
}

static void every_kind_of_field_is_stepped_over(void **state)
{
	static const char bytes[] = "\x08\x96\x01" /* 1: 150 */
				    "\x11"
				    "12345678" /* 2: 64 bits */
				    "\x1d"
				    "1234"			/* 3: 32 bits */
				    "\x22\x02hi"		/* 4: "hi" */
				    "\xf8\xff\xff\xff\x0f\x00"; /* the highest number */
	struct protobuf message = protobuf_of(bytes, sizeof bytes - 1);
	struct protobuf_field field;
	char text[3], short_text[2];
	(void)state;

	assert_int_equal(protobuf_next(&message, &field), 1);
	assert_true(field.number == 1 && field.value == 150 && !field.delimited);
	assert_false(protobuf_is(&field, ""));
	assert_int_equal(protobuf_next(&message, &field), 1);
	assert_int_equal(field.number, 2);
	assert_int_equal(protobuf_next(&message, &field), 1);
	assert_int_equal(field.number, 3);
	assert_int_equal(protobuf_next(&message, &field), 1);
	assert_true(protobuf_is(&field, "hi"));
	assert_false(protobuf_is(&field, "ho"));
	assert_false(protobuf_is(&field, "hi!"));
	protobuf_copy(&field, text, sizeof text);
	assert_string_equal(text, "hi");
	protobuf_copy(&field, short_text, sizeof short_text);
	assert_string_equal(short_text, "h");
	assert_int_equal(protobuf_next(&message, &field), 1);
	assert_int_equal(field.number, 0x1fffffff);
	assert_int_equal(protobuf_next(&message, &field), 0);
}

static void a_field_that_is_cut_short_is_told(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} rows[] = {
		{"\x08", 1},
		{"\x08\x80", 2},
		{"\x11"
		 "1234567",
		 8},
		{"\x1d\x31\x32\x33", 4},
		{"\x22\x02h", 3},
		{"\x80\x80\x80\x80\x10\x00", 6}, /* a number too high */
	};
	(void)state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *bytes = malloc(rows[i].len); /* ASan knows where it ends */
		struct protobuf_field field;
		struct protobuf message;

		assert_non_null(bytes);
		memcpy(bytes, rows[i].bytes, rows[i].len);
		message = protobuf_of(bytes, rows[i].len);
		if (protobuf_next(&message, &field) != -EBADMSG)
			fail_msg("row %zu: expected an error, found none", i);
		free(bytes);
	}
}

#define assert_bytes(out, bytes)                                                                                       \
	do {                                                                                                           \
		assert_int_equal((out).len, sizeof(bytes) - 1);                                                        \
		assert_memory_equal((out).data, bytes, sizeof(bytes) - 1);                                             \
	} while (0)

/* As RFC 9113 and RFC 7541 write them. */
static void a_connection_begins_with_its_preface_and_our_settings(void **state)
{
	struct buf out = {0};
	(void)state;

	assert_int_equal(grpc_add_preface(&out), 0);
	assert_bytes(out, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
			  "\0\0\x0c\4\0\0\0\0\0" /* SETTINGS: no table of headers, a window of 8 MiB */
			  "\0\1\0\0\0\0"
			  "\0\4\0\x80\0\0"
			  "\0\0\4\x8\0\0\0\0\0" /* WINDOW_UPDATE */
			  "\0\x80\0\0");
	buf_free(&out);
}

static void a_call_is_its_headers_and_one_message(void **state)
{
	struct buf out = {0};
	char path[122];
	(void)state;

	assert_int_equal(grpc_add_call(&out, 1, "/a.B/C", "xy", 2), 0);
	assert_bytes(out, "\0\0\x35\1\4\0\0\0\1" /* HEADERS, END_HEADERS */
			  "\x83\x86"		 /* :method POST, :scheme http */
			  "\4\6/a.B/C"		 /* :path */
			  "\1\x9localhost"	 /* :authority */
			  "\xf\x10\x10"		 /* content-type */
			  "application/grpc"
			  "\0\2te\x8trailers"  /* a name that has no number */
			  "\0\0\7\0\1\0\0\0\1" /* DATA, END_STREAM */
			  "\0\0\0\0\2xy");
	buf_free(&out);
	snprintf(path, sizeof path, "%0121d", 0);
	assert_int_equal(grpc_add_call(&out, 1, path, NULL, 0), -E2BIG);
	assert_int_equal(grpc_add_call(&out, 1, path + 1, NULL, 0), 0);
	buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_runtime_that_answers_is_understood),
		cmocka_unit_test(an_older_runtime_is_asked_again_in_its_own_version),
		cmocka_unit_test(a_refusal_in_both_versions_is_an_error),
		cmocka_unit_test(a_stopped_runtime_costs_the_timeout_and_no_more),
		cmocka_unit_test(who_waits_is_told_again_and_again),
		cmocka_unit_test(an_answer_cut_short_is_no_answer),
		cmocka_unit_test(a_frame_beyond_the_bound_is_refused),
		cmocka_unit_test(nobody_there_is_told_with_the_socket),
		cmocka_unit_test(random_frames_do_no_harm),
		cmocka_unit_test(broken_protocol_buffers_are_told),
		cmocka_unit_test(settings_and_pings_are_answered_once),
		cmocka_unit_test(a_call_ends_with_its_stream_only),
		cmocka_unit_test(padding_is_cut_off),
		cmocka_unit_test(part_of_a_frame_waits_for_the_rest),
		cmocka_unit_test(a_frame_is_as_long_as_it_may_be),
		cmocka_unit_test(a_request_that_does_not_fit_its_frames_is_refused),
		cmocka_unit_test(every_kind_of_field_is_stepped_over),
		cmocka_unit_test(a_field_that_is_cut_short_is_told),
		cmocka_unit_test(a_connection_begins_with_its_preface_and_our_settings),
		cmocka_unit_test(a_call_is_its_headers_and_one_message),
	};
	return cmocka_run_group_tests(tests, make, unmake);
}
