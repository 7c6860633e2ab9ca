#define _GNU_SOURCE
#include "CThread.h"
#include <pthread.h>

void sync_thread_set_name(unsigned long thread, const char *name) {
    pthread_setname_np(thread, name);
}
