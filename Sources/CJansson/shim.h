// What Swift cannot import from Jansson: the reference counting, which is static inline over atomics.
#ifndef SYNC_CJANSSON_SHIM_H
#define SYNC_CJANSSON_SHIM_H

#include <jansson.h>

/// json_incref(3) as a plain call.
static inline json_t *sync_json_retain(json_t *value) {
    return json_incref(value);
}

/// json_decref(3) as a plain call.
static inline void sync_json_release(json_t *value) {
    json_decref(value);
}

#endif
