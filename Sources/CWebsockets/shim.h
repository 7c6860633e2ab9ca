// What Swift cannot import from libwebsockets: macros that are casts or expressions. Nothing else.
#ifndef SYNC_CWEBSOCKETS_SHIM_H
#define SYNC_CWEBSOCKETS_SHIM_H

#include <libwebsockets.h>
#include <openssl/x509_vfy.h>
#include <string.h>

/// Bytes that lws_write(3) may scribble on *before* the payload pointer (LWS_PRE).
static const int sync_lws_headroom = LWS_PRE;

/// A zeroed creation-info struct for a context that never binds a port of its own.
static inline struct lws_context_creation_info sync_lws_info_without_listener(void) {
    struct lws_context_creation_info info;
    memset(&info, 0, sizeof info);
    info.port = CONTEXT_PORT_NO_LISTEN_SERVER;
    info.options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS;
    return info;
}

/// LWS_SERVER_OPTION_LIBUV: run on the loop in info.foreign_loops.
static const uint64_t sync_lws_option_libuv = LWS_SERVER_OPTION_LIBUV;

/// LWS_SERVER_OPTION_VALIDATE_UTF8: text frames are checked, 1007 otherwise.
static const uint64_t sync_lws_option_validate_utf8 = LWS_SERVER_OPTION_VALIDATE_UTF8;

/// LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT: OpenSSL is there for those vhosts that want it.
static const uint64_t sync_lws_option_tls = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;

/// LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS: a vhost trusts only the authorities that it names.
static const uint64_t sync_lws_option_no_system_authorities = LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS;

#endif
