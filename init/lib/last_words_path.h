/* Where PID 1 leaves the reason of its own fault, for `keelson last-words` of the next boot. */
#ifndef KEELSON_LAST_WORDS_PATH_H
#define KEELSON_LAST_WORDS_PATH_H

#define FAULT_PATH "/var/log/keelson/fault"

#endif
