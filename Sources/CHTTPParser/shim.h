// http-parser imports cleanly; this header exists so that the module map has one local file to name.
#ifndef SYNC_CHTTPPARSER_SHIM_H
#define SYNC_CHTTPPARSER_SHIM_H

#include <http_parser.h>

#endif
