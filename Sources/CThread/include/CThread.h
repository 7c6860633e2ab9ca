// What Swift's Glibc module lacks of threads. It includes nothing, so that no type of the system
// is taken for one of this module.
#ifndef SYNC_CTHREAD_H
#define SYNC_CTHREAD_H

/// pthread_setname_np(3). Linux keeps the first 15 bytes.
void sync_thread_set_name(unsigned long thread, const char *name);

#endif
