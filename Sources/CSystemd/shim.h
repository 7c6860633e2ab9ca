// What Swift cannot import from libsystemd: nothing but the first passed descriptor, a cast in a macro.
#ifndef SYNC_CSYSTEMD_SHIM_H
#define SYNC_CSYSTEMD_SHIM_H

#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>

/// SD_LISTEN_FDS_START: where sd_listen_fds(3) puts the first socket.
static const int sync_sd_listen_fds_start = SD_LISTEN_FDS_START;

#endif
