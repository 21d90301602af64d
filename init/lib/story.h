/* The boot story: what a step prints on standard output, one line per thing that a person wants to know.
 *
 * PID 1 puts the time and the service's name in front and shows the line on the console:
 * "[ 0.63] config      NoCloud on /dev/sr0, instance i-7: 2 files written".
 */
#ifndef KEELSON_STORY_H
#define KEELSON_STORY_H

/* Present tense, lower case, no stop at the end, the number where it helps; never a secret. */
void story(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Tell PID 1 that this service is ready (sd_notify's READY=1 on $NOTIFY_SOCKET). No socket: nothing to do.
 * Returns 0 or -errno. */
int notify_ready(void);

/* Tell PID 1 what this service does or waits for (sd_notify's STATUS=), without a line on the console: PID 1 says it
 * when it has to say that the service is not ready yet. As notify_ready. */
int notify_status(const char *text);

#endif
