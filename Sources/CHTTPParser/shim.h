// What Swift cannot take from http-parser as it is: a name that libwebsockets has, too.
#ifndef SYNC_CHTTPPARSER_SHIM_H
#define SYNC_CHTTPPARSER_SHIM_H

// Both headers define an `enum http_status`, with other members: one program has room for one.
#define http_status http_parser_status
#include <http_parser.h>
#undef http_status

#endif
