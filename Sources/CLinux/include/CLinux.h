// Linux calls that Swift's Glibc module lacks: what glibc hides behind _GNU_SOURCE, and epoll.
#ifndef SYNC_CLINUX_H
#define SYNC_CLINUX_H

#include <stddef.h>
#include <sys/epoll.h>

/// accept4(2), non-blocking and close-on-exec. Returns -1 and sets errno when nothing is waiting.
///
/// `address` receives the peer's IPv4 or IPv6 address as 16 bytes (IPv4 in the last four, the rest zero).
int sync_accept(int listener, unsigned char address[16]);

/// SO_PEERCRED of unix(7): who connected a socket; -1 with errno when nobody knows.
int sync_peer(int socket, int *process, unsigned int *user);

/// Whether the kernel says that something (NTP) keeps the wall clock right; no when it does not say.
int sync_clock_is_synchronised(void);

/// pipe2(2).
int sync_pipe(int ends[2], int flags);

/// memmem(3): where `part` begins first in `text`; NULL when it does not.
const void *sync_find(const void *text, size_t text_size, const void *part, size_t part_size);

/// close_range(2): what is open from a descriptor on ends with the next execve(2) of a child.
void sync_close_on_exec(int first);

/// malloc_trim(3).
void sync_give_back_memory(void);

/// statfs(2): 1 when a path is on tmpfs or ramfs, 0 when not; -1 with errno when it does not say.
int sync_is_in_memory(const char *path);

/* 1 when a directory shows what the kernel knows, where nobody can make anything: procfs, sysfs. */
int sync_is_of_kernel(const char *path);

#endif
