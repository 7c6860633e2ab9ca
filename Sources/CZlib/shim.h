// zlib starts a stream with macros, which Swift cannot call.
#ifndef SYNC_CZLIB_SHIM_H
#define SYNC_CZLIB_SHIM_H

#include <zlib.h>

static inline int sync_inflate_begin(z_stream *stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}

#endif
