// What Swift cannot import from libcurl: variadic functions, and macros that are casts.
#ifndef SYNC_CCURL_SHIM_H
#define SYNC_CCURL_SHIM_H

#include <curl/curl.h>

/// curl_global_init(3) with CURL_GLOBAL_DEFAULT, a macro of a macro.
static inline CURLcode sync_curl_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

/// curl_easy_setopt(3), which is variadic, for each type that an option takes.
static inline CURLcode sync_curl_set_text(CURL *handle, CURLoption option, const char *text) {
    return curl_easy_setopt(handle, option, text);
}

static inline CURLcode sync_curl_set_number(CURL *handle, CURLoption option, long number) {
    return curl_easy_setopt(handle, option, number);
}

static inline CURLcode sync_curl_set_headers(CURL *handle, struct curl_slist *headers) {
    return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

/// CURLOPT_COPYPOSTFIELDS(3): libcurl keeps a copy of the body.
static inline CURLcode sync_curl_set_body(CURL *handle, const char *bytes, long count) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    return code ? code : curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, bytes);
}

/// CURLOPT_WRITEFUNCTION(3).
static inline CURLcode sync_curl_set_reader(
    CURL *handle, size_t (*reader)(char *, size_t, size_t, void *), void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, reader);
    return code ? code : curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
}

/// CURLOPT_HEADERFUNCTION(3).
static inline CURLcode sync_curl_set_head_reader(
    CURL *handle, size_t (*reader)(char *, size_t, size_t, void *), void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, reader);
    return code ? code : curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
}

/// curl_easy_getinfo(3) of CURLINFO_RESPONSE_CODE; 0 without a response.
static inline long sync_curl_status(CURL *handle) {
    long status = 0;
    return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status) ? 0 : status;
}

/// The same of CURLINFO_RETRY_AFTER, in seconds; 0 without the header.
static inline long sync_curl_retry_after(CURL *handle) {
    curl_off_t seconds = 0;
    return curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &seconds) ? 0 : (long)seconds;
}

/// CURLOPT_PREREQFUNCTION(3): asked when there is a connection, before anything is sent on it.
static inline CURLcode sync_curl_set_preflight(
    CURL *handle, int (*preflight)(void *, char *, char *, int, int), void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, preflight);
    return code ? code : curl_easy_setopt(handle, CURLOPT_PREREQDATA, context);
}

/// curl_easy_getinfo(3) of CURLINFO_ACTIVESOCKET; -1: the connection is not kept.
static inline int sync_curl_socket(CURL *handle) {
    curl_socket_t socket = CURL_SOCKET_BAD;
    return curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, &socket) ? -1 : (int)socket;
}

/// The same of CURLINFO_LOCAL_PORT.
static inline int sync_curl_local_port(CURL *handle) {
    long port = 0;
    return curl_easy_getinfo(handle, CURLINFO_LOCAL_PORT, &port) ? 0 : (int)port;
}

/// curl_multi_setopt(3) of CURLMOPT_MAXCONNECTS: idle connections that are kept.
static inline CURLMcode sync_curl_keep_connections(CURLM *handle, long count) {
    return curl_multi_setopt(handle, CURLMOPT_MAXCONNECTS, count);
}

#endif
