/* The HTTP client against a small server on the loopback: what a hostile or slow one can cost. */
#include "lib/http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "unit/test.h"

static unsigned port;

/* Answer each connection with the next text; NULL: say nothing. */
static pid_t serve(const char *const *answers)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof at;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	pid_t pid;

	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
	assert_int_equal(listen(fd, 5), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	port = ntohs(at.sin_port);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		for (;; answers++) {
			int connection = accept(fd, NULL, NULL);
			char request[4096];

			if (read(connection, request, sizeof request) <= 0)
				_exit(1);
			if (!*answers)
				pause();
			if (write(connection, *answers, strlen(*answers)) < 0)
				_exit(2);
			close(connection);
		}
	}
	close(fd);
	return pid;
}

static int ask(const char *const *answers, const struct http_options *options, struct http_request request,
	       struct http_response *response, struct err *err)
{
	pid_t pid = serve(answers);
	struct http_client *client = NULL;
	char url[64];
	int r;

	snprintf(url, sizeof url, "http://127.0.0.1:%u/x", port);
	request.url = url;
	assert_int_equal(http_client_make(options, &client, err), 0);
	r = http_ask_ok(client, &request, response, err);
	http_client_free(client);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return r;
}

static void an_answer_arrives_with_its_type(void **state)
{
	static const char *const answers[] = {"HTTP/1.1 200 OK\r\nContent-Type: text/x\r\nContent-Length: 2\r\n\r\nhi",
					      NULL};
	const struct http_options options = {.no_proxy = true};
	struct http_response response = {0};
	struct err err = {{0}};
	(void)state;

	if (ask(answers, &options, (struct http_request){0}, &response, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(response.status, 200);
	assert_string_equal(buf_string(&response.body), "hi");
	assert_string_equal(response.content_type, "text/x");
	http_response_free(&response);
}

static void statuses_become_errors_that_callers_tell_apart(void **state)
{
	static const struct {
		const char *answer;
		int r;
	} rows[] = {
		{"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n", -ENOENT},
		{"HTTP/1.1 403 No\r\nContent-Length: 4\r\n\r\nn\no!", -EACCES},
		{"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n", -EAGAIN},
		{"HTTP/1.1 418 No\r\nContent-Length: 0\r\n\r\n", -EIO},
		{"HTTP/1.1 302 Go\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", -EIO},
	};
	const struct http_options options = {.no_proxy = true};
	(void)state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *const answers[] = {rows[i].answer, NULL};
		struct http_response response = {0};
		struct err err = {{0}};

		assert_int_equal(ask(answers, &options, (struct http_request){0}, &response, &err), rows[i].r);
		if (i == 1)
			assert_non_null(strstr(err.text, "/x: HTTP status 403: n o!"));
		http_response_free(&response);
	}
}

static void more_bytes_than_allowed_end_the_transfer(void **state)
{
	static const char *const answers[] = {"HTTP/1.1 200 OK\r\n\r\n0123456789", NULL};
	const struct http_options options = {.no_proxy = true};
	struct http_response response = {0};
	struct err err = {{0}};
	(void)state;

	assert_int_equal(ask(answers, &options, (struct http_request){.max_bytes = 9}, &response, &err), -EFBIG);
	assert_non_null(strstr(err.text, "expected at most 9 bytes, found more"));
	http_response_free(&response);
}

static void a_silent_server_costs_the_timeout(void **state)
{
	static const char *const answers[] = {NULL};
	const struct http_options options = {.no_proxy = true};
	struct http_response response = {0};
	struct err err = {{0}};
	(void)state;

	assert_int_equal(ask(answers, &options, (struct http_request){.timeout_ms = 200}, &response, &err), -ETIMEDOUT);
	http_response_free(&response);
}

static void a_redirect_to_a_file_is_not_followed(void **state)
{
	static const char *const answers[] = {
		"HTTP/1.1 302 Go\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n", NULL};
	const struct http_options options = {.no_proxy = true, .redirects = 5};
	struct http_response response = {0};
	struct err err = {{0}};
	(void)state;

	assert_int_equal(ask(answers, &options, (struct http_request){0}, &response, &err), -EPROTO);
	assert_int_equal(response.body.len, 0);
	http_response_free(&response);
}

static void nobody_listening_is_refused(void **state)
{
	const struct http_options options = {.no_proxy = true};
	const struct http_request request = {.url = "http://127.0.0.1:1/"};
	struct http_client *client = NULL;
	struct http_response response = {0};
	struct err err = {{0}};
	(void)state;

	assert_int_equal(http_client_make(&options, &client, &err), 0);
	assert_int_equal(http_ask(client, &request, &response, &err), -ECONNREFUSED);
	http_client_free(client);
	http_response_free(&response);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_arrives_with_its_type),
		cmocka_unit_test(statuses_become_errors_that_callers_tell_apart),
		cmocka_unit_test(more_bytes_than_allowed_end_the_transfer),
		cmocka_unit_test(a_silent_server_costs_the_timeout),
		cmocka_unit_test(a_redirect_to_a_file_is_not_followed),
		cmocka_unit_test(nobody_listening_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
