/* Lets a test fail or hold the daemon's reads, writes and syncs: loaded before the C library.
 *
 * A file "read", "write" or "sync" in the directory FAULTS is a rule while it is there:
 * "ERRNO SUFFIX". Calls on files whose path ends in SUFFIX fail with ERRNO; 0 holds them until
 * the rule is gone. "ERRNO SUFFIX OFFSET" concerns reads and writes at that offset alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The errno that a call on this file has to fail with; 0 lets it through. */
static int fault(const char *rule, int file, long long at) {
    const char *directory = getenv("FAULTS");
    int before = errno; /* A call that succeeds leaves it as it is. */
    char path[512], line[256], name[512], link[64];
    if (!directory) return 0;
    snprintf(path, sizeof path, "%s/%s", directory, rule);
    for (;;) {
        FILE *stream = fopen(path, "re");
        if (!stream) return errno = before, 0;
        char suffix[200] = "";
        long long offset = -1;
        int code = 0, count = 0;
        if (fgets(line, sizeof line, stream))
            count = sscanf(line, "%d %199s %lld", &code, suffix, &offset);
        fclose(stream);
        snprintf(link, sizeof link, "/proc/self/fd/%d", file);
        ssize_t length = readlink(link, name, sizeof name - 1);
        errno = before;
        if (count < 2 || length < 0 || (offset >= 0 && offset != at)) return 0;
        name[length] = 0;
        size_t wanted = strlen(suffix);
        if ((size_t)length < wanted || strcmp(name + length - wanted, suffix)) return 0;
        if (code) return code;
        usleep(5000);
    }
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define UNLESS(rule, at) int code = fault(rule, file, at); if (code) { errno = code; return -1; }

ssize_t pread64(int file, void *bytes, size_t count, off64_t offset) {
    UNLESS("read", offset) return REAL(pread64)(file, bytes, count, offset);
}

ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
    UNLESS("read", offset) return REAL(pread)(file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    UNLESS("write", offset) return REAL(pwrite64)(file, bytes, count, offset);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    UNLESS("write", offset) return REAL(pwrite)(file, bytes, count, offset);
}

int fdatasync(int file) {
    UNLESS("sync", -1) return REAL(fdatasync)(file);
}

int fsync(int file) {
    UNLESS("sync", -1) return REAL(fsync)(file);
}
