#define _GNU_SOURCE
#include <malloc.h>
#include "CLinux.h"
#include <linux/close_range.h>
#include <linux/magic.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <sys/vfs.h>
#include <unistd.h>

int sync_accept(int listener, unsigned char address[16]) {
    struct sockaddr_storage peer;
    socklen_t length = sizeof peer;
    int socket = accept4(listener, (struct sockaddr *)&peer, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    memset(address, 0, 16);
    if (socket < 0) return socket;
    if (peer.ss_family == AF_INET) {
        memcpy(address + 12, &((struct sockaddr_in *)&peer)->sin_addr, 4);
    } else if (peer.ss_family == AF_INET6) {
        memcpy(address, &((struct sockaddr_in6 *)&peer)->sin6_addr, 16);
    }
    return socket;
}

int sync_peer(int socket, int *process, unsigned int *user) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -1;
    *process = peer.pid;
    *user = peer.uid;
    return 0;
}

int sync_pipe(int ends[2], int flags) {
    return pipe2(ends, flags);
}

int sync_clock_is_synchronised(void) {
    struct timex state = {.modes = 0};
    // A sandbox may forbid the question.
    return adjtimex(&state) >= 0 && !(state.status & STA_UNSYNC);
}

const void *sync_find(const void *text, size_t text_size, const void *part, size_t part_size) {
    return memmem(text, text_size, part, part_size);
}

void sync_close_on_exec(int first) {
    // An old kernel has no such call: then a child has what libraries left open.
    close_range(first, ~0U, CLOSE_RANGE_CLOEXEC);
}

void sync_give_back_memory(void) {
    malloc_trim(0);
}

int sync_is_in_memory(const char *path) {
    struct statfs status;
    if (statfs(path, &status) != 0) return -1;
    return status.f_type == TMPFS_MAGIC || status.f_type == RAMFS_MAGIC;
}

int sync_is_of_kernel(const char *path) {
    struct statfs status;
    if (statfs(path, &status) != 0) return 0;
    return status.f_type == PROC_SUPER_MAGIC || status.f_type == SYSFS_MAGIC;
}
