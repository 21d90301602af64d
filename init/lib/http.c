/* An HTTP client with a bound on everything, by libcurl. */
#include "lib/http.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"

#define DEFAULT_TIMEOUT_MS 10000
#define DEFAULT_MAX_BYTES ((size_t)1 << 20)

struct http_client {
	CURL *curl;
	char reason[CURL_ERROR_SIZE];
};

struct http_sink {
	struct buf *body;
	size_t max;
	int failed; /* 0 or what ended the transfer */
};

static void headers_freep(struct curl_slist **list)
{
	curl_slist_free_all(*list);
}

void http_response_free(struct http_response *response)
{
	buf_free(&response->body);
}

void http_client_free(struct http_client *client)
{
	if (!client)
		return;
	curl_easy_cleanup(client->curl);
	free(client);
}

void http_client_freep(struct http_client **client)
{
	http_client_free(*client);
}

static size_t take_body(char *data, size_t size, size_t count, void *context)
{
	struct http_sink *sink = context;
	size_t len = size * count;

	if (len > sink->max - sink->body->len)
		sink->failed = -EFBIG;
	else
		sink->failed = buf_add(sink->body, data, len);
	return sink->failed ? 0 : len;
}

/* Options that stay. The first refused one is remembered: a refused option must not weaken the check of a peer. */
static CURLcode set_up(CURL *curl, char *reason, const struct http_options *o)
{
	CURLcode r = curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);

#define SET(option, value)                                                                                             \
	do {                                                                                                           \
		if (r == CURLE_OK)                                                                                     \
			r = curl_easy_setopt(curl, option, value);                                                     \
	} while (0)
	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_USERAGENT, "keelson/" KEELSON_VERSION);
	SET(CURLOPT_PROTOCOLS_STR, "http,https");
	SET(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
	SET(CURLOPT_FOLLOWLOCATION, o->redirects > 0 ? 1L : 0L);
	SET(CURLOPT_MAXREDIRS, (long)o->redirects);
	SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	if (o->ca_file) {
		SET(CURLOPT_CAINFO, o->ca_file);
		SET(CURLOPT_CAPATH, NULL);
	}
	if (o->cert_file)
		SET(CURLOPT_SSLCERT, o->cert_file);
	if (o->key_file)
		SET(CURLOPT_SSLKEY, o->key_file);
	if (o->unix_socket)
		SET(CURLOPT_UNIX_SOCKET_PATH, o->unix_socket);
	if (o->insecure) {
		SET(CURLOPT_SSL_VERIFYPEER, 0L);
		SET(CURLOPT_SSL_VERIFYHOST, 0L);
	}
	if (o->no_proxy)
		SET(CURLOPT_NOPROXY, "*");
	SET(CURLOPT_WRITEFUNCTION, take_body);
#undef SET
	return r;
}

int http_client_make(const struct http_options *options, struct http_client **client, struct err *err)
{
	struct http_client *made = calloc(1, sizeof *made);
	CURLcode r;

	if (!made)
		return err_set(err, ENOMEM, "HTTP client: out of memory");
	made->curl = curl_easy_init();
	if (!made->curl) {
		free(made);
		return err_set(err, ENOMEM, "HTTP client: out of memory");
	}
	r = set_up(made->curl, made->reason, options);
	if (r != CURLE_OK) {
		http_client_free(made);
		return err_set(err, EINVAL, "HTTP client: %s", curl_easy_strerror(r));
	}
	*client = made;
	return 0;
}

static int errno_of(CURLcode code)
{
	switch (code) {
	case CURLE_COULDNT_CONNECT:
		return ECONNREFUSED;
	case CURLE_OPERATION_TIMEDOUT:
		return ETIMEDOUT;
	case CURLE_COULDNT_RESOLVE_HOST:
		return EHOSTUNREACH;
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_GOT_NOTHING:
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_URL_MALFORMAT:
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_TOO_MANY_REDIRECTS:
		return EPROTO;
	case CURLE_OUT_OF_MEMORY:
		return ENOMEM;
	default:
		return EIO;
	}
}

static int list_headers(const char *const *headers, struct curl_slist **list)
{
	/* No "Expect: 100-continue": it costs a round trip, and a second where the server does not know it. */
	*list = curl_slist_append(NULL, "Expect:");
	if (!*list)
		return -ENOMEM;
	for (; headers && *headers; headers++) {
		struct curl_slist *longer = curl_slist_append(*list, *headers);

		if (!longer)
			return -ENOMEM;
		*list = longer;
	}
	return 0;
}

static void prepare(CURL *curl, const struct http_request *q, struct curl_slist *headers, struct http_sink *sink)
{
	long timeout = q->timeout_ms > 0 ? q->timeout_ms : DEFAULT_TIMEOUT_MS;

	curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L);
	curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, NULL);
	if (q->body) {
		curl_easy_setopt(curl, CURLOPT_POST, 1L);
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, q->body);
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)q->body_len);
	}
	if (q->method)
		curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, q->method);
	curl_easy_setopt(curl, CURLOPT_URL, q->url);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, timeout);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS,
			 q->connect_timeout_ms > 0 ? (long)q->connect_timeout_ms : timeout);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, sink);
}

int http_ask(struct http_client *client, const struct http_request *request, struct http_response *response,
	     struct err *err)
{
	_cleanup_(headers_freep) struct curl_slist *headers = NULL;
	struct http_sink sink = {&response->body, request->max_bytes ? request->max_bytes : DEFAULT_MAX_BYTES, 0};
	const char *type = NULL;
	CURLcode code;

	buf_free(&response->body);
	response->body.max = sink.max;
	response->status = 0;
	response->content_type[0] = 0;
	client->reason[0] = 0;
	if (list_headers(request->headers, &headers) < 0)
		return err_set(err, ENOMEM, "%s: out of memory", request->url);
	prepare(client->curl, request, headers, &sink);
	code = curl_easy_perform(client->curl);
	curl_easy_setopt(client->curl, CURLOPT_HTTPHEADER, NULL);
	if (sink.failed == -EFBIG)
		return err_set(err, EFBIG, "%s: expected at most %zu bytes, found more", request->url, sink.max);
	if (code != CURLE_OK)
		return err_set(err, errno_of(code), "%s: %s", request->url,
			       client->reason[0] ? client->reason : curl_easy_strerror(code));
	curl_easy_getinfo(client->curl, CURLINFO_RESPONSE_CODE, &response->status);
	curl_easy_getinfo(client->curl, CURLINFO_CONTENT_TYPE, &type);
	if (type)
		snprintf(response->content_type, sizeof response->content_type, "%s", type);
	return 0;
}

/* The beginning of a body, as one printable line. */
static void excerpt(const struct buf *body, char *text, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < body->len && used + 1 < size; i++) {
		char c = body->data[i];

		text[used++] = c >= 0x20 && c < 0x7f ? c : ' ';
	}
	text[used] = 0;
}

int http_ask_ok(struct http_client *client, const struct http_request *request, struct http_response *response,
		struct err *err)
{
	char text[200];
	int r = http_ask(client, request, response, err);
	int errnum = EIO;

	if (r < 0)
		return r;
	if (response->status >= 200 && response->status < 300)
		return 0;
	if (response->status == 404 || response->status == 410)
		errnum = ENOENT;
	else if (response->status == 401 || response->status == 403)
		errnum = EACCES;
	else if (response->status == 429 || response->status >= 500)
		errnum = EAGAIN;
	excerpt(&response->body, text, sizeof text);
	return err_set(err, errnum, "%s: HTTP status %ld: %s", request->url, response->status, text);
}
