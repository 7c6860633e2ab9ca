// inih imports cleanly; this header exists so that the module map has one local file to name.
#ifndef SYNC_CINIH_SHIM_H
#define SYNC_CINIH_SHIM_H

#include <ini.h>

#endif
