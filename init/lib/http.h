/* An HTTP client with a bound on everything: time, redirects, bytes. One client keeps one connection alive, so that a
 * second request to the same server costs no TLS handshake. */
#ifndef KEELSON_HTTP_H
#define KEELSON_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/buf.h"
#include "lib/err.h"

struct http_client;

/* How a client talks. Strings are copied; NULL means the default. */
struct http_options {
	const char *ca_file;		  /* PEM; NULL: the system's bundle */
	const char *cert_file, *key_file; /* our own certificate, for servers that ask */
	const char *unix_socket;	  /* connect here, whatever the URL's host says */
	bool insecure;			  /* do not check the server's certificate */
	bool no_proxy;			  /* ignore http_proxy and its like */
	int redirects;			  /* followed at most; 0: none. Only to http and https */
};

struct http_request {
	const char *method; /* NULL: GET */
	const char *url;
	const char *const *headers; /* "Name: value", ends with NULL; NULL: none */
	const void *body;
	size_t body_len;
	int timeout_ms;		/* whole request; 0: 10 s */
	int connect_timeout_ms; /* 0: as timeout_ms */
	size_t max_bytes;	/* of the answer's body; 0: 1 MiB */
};

struct http_response {
	long status; /* 200, 404, … */
	struct buf body;
	char content_type[128];
};

int http_client_make(const struct http_options *options, struct http_client **client, struct err *err);
void http_client_free(struct http_client *client);
void http_client_freep(struct http_client **client);

/* Ask. Any answer, whatever its status, is 0; response is emptied first. Else: -ECONNREFUSED, -ETIMEDOUT, -EFBIG (more
 * than max_bytes), -EPROTO (TLS, or no HTTP), -EHOSTUNREACH (name or route), -EIO. */
int http_ask(struct http_client *client, const struct http_request *request, struct http_response *response,
	     struct err *err);

/* As http_ask, and any status but 2xx is -ENOENT (404, 410), -EACCES (401, 403), -EAGAIN (429, 5xx) or -EIO. */
int http_ask_ok(struct http_client *client, const struct http_request *request, struct http_response *response,
		struct err *err);

void http_response_free(struct http_response *response);

#endif
