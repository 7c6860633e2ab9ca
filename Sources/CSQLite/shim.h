// What Swift cannot import from SQLite: casts in macros, and variadic functions.
#ifndef SYNC_CSQLITE_SHIM_H
#define SYNC_CSQLITE_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// sqlite3_bind_text(3) that copies: SQLITE_TRANSIENT is a cast, which Swift does not import.
///
/// An empty text may come as a null pointer, which SQLite would take for NULL.
static inline int sync_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
    return sqlite3_bind_text(statement, index, text ? text : "", count, SQLITE_TRANSIENT);
}

/// Whether a call of the system's failed because a disk, or somebody's part of it, is used up.
static inline int sync_sqlite_is_out_of_room(int system_error) {
    return system_error == ENOSPC || system_error == EDQUOT;
}

/// errno of this thread.
static inline int sync_sqlite_errno(void) {
    return errno;
}

/// Flags for sqlite3_open_v2(3): root follows no link.
static inline int sync_sqlite_link_flags(void) {
    return geteuid() == 0 ? SQLITE_OPEN_NOFOLLOW : 0;
}

/// Whether the directory of a path has another owner than a file that is open.
static inline int sync_sqlite_is_planted(const char *path, const struct stat *file) {
    const char *end = strrchr(path, '/');
    char *name = end ? strndup(path, end - path + 1) : strdup(".");
    struct stat directory;
    int found = name && stat(name, &directory) == 0;
    free(name);
    return !found || directory.st_uid != file->st_uid;
}

/// open(2), as SQLite calls it, where others may put something in a file's place: it waits for no
/// pipe, and a second name of somebody else's file is no file of the directory's owner.
static int sync_sqlite_open(const char *path, int flags, int mode) {
    int opened = open(path, flags | O_NONBLOCK | O_CLOEXEC, mode);
    struct stat file;
    if (opened < 0 || strncmp(path, "/dev/", 5) == 0) return opened;
    if (fstat(opened, &file) == 0) {
        if (S_ISDIR(file.st_mode)) return opened;
        if (S_ISREG(file.st_mode)
            && (file.st_nlink <= 1 || !sync_sqlite_is_planted(path, &file))) return opened;
    }
    close(opened);
    errno = ELOOP;
    return -1;
}

/// Has root's files be opened so; before any other call of SQLite's.
static inline void sync_sqlite_guard_opening(void) {
    sqlite3_vfs *files = geteuid() == 0 ? sqlite3_vfs_find("unix") : NULL;
    if (files && files->iVersion >= 3) {
        files->xSetSystemCall(files, "open", (sqlite3_syscall_ptr)sync_sqlite_open);
    }
}

/// realpath(3), whose result sync_sqlite_free() takes: their modules differ on Apple's platforms.
static inline char *sync_sqlite_own_path(const char *path) {
    return realpath(path, NULL);
}

static inline void sync_sqlite_free(char *path) {
    free(path);
}

/// SQLITE_DBCONFIG_ENABLE_VIEW: what somebody put in a table's place computes nothing.
static inline int sync_sqlite_disable_views(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
}

/// SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE: only the writer checkpoints (sqlite3_db_config is variadic).
static inline int sync_sqlite_disable_checkpoint_on_close(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

#endif
