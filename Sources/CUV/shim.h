// libuv imports cleanly, but for what takes any number of arguments.
#ifndef SYNC_CUV_SHIM_H
#define SYNC_CUV_SHIM_H

#include <uv.h>

/// Has a loop count the time that it waits.
static inline int sync_uv_count_idle_time(uv_loop_t *loop) {
    return uv_loop_configure(loop, UV_METRICS_IDLE_TIME);
}

#endif
