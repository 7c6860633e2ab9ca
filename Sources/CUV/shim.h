// libuv imports cleanly; this header exists so that the module map has one local file to name.
#ifndef SYNC_CUV_SHIM_H
#define SYNC_CUV_SHIM_H

#include <uv.h>

#endif
