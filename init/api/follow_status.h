/* What the console shows after the boot. */
#ifndef KEELSON_FOLLOW_STATUS_H
#define KEELSON_FOLLOW_STATUS_H

/* Tell the node's state as it changes, and pods that the kernel holds back, until the end. */
_Noreturn void follow_status(void);

#endif
