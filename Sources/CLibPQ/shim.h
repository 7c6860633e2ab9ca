// PostgreSQL's client library, as Debian has it: in a directory of its own, which pkg-config names.
#ifndef SYNC_CLIBPQ_SHIM_H
#define SYNC_CLIBPQ_SHIM_H

#include <libpq-fe.h>

#endif
