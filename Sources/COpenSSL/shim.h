// Of OpenSSL hashes, derived keys and the check of signatures (libcrypto), and TLS (libssl).
// What Swift cannot import of it are macros; nothing else stands here.
#ifndef SYNC_COPENSSL_SHIM_H
#define SYNC_COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

/// Versions from TLS 1.2 to TLS 1.3. Returns 1 when they are set.
static inline int sync_tls_set_versions(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) &&
           SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION);
}

/// No renegotiation (a peer could have the costly part again and again), no compression (its length
/// tells what is in it), no tickets (a key that outlives its connections).
static const uint64_t sync_tls_options =
    SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET;

/// SSL_CTX_set_mode(3): a connection that is idle keeps no buffers.
static inline void sync_tls_release_buffers(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
}

/// SSL_CTX_set_session_cache_mode(3): no session is kept for a later connection.
static inline void sync_tls_keep_no_sessions(SSL_CTX *context) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

/// SSL_CTX_add0_chain_cert(3): on success the context owns the certificate.
static inline int sync_tls_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add0_chain_cert(context, certificate);
}

/// BIO_reset(3).
static inline void sync_bio_reset(BIO *bio) { (void)BIO_reset(bio); }

/// ERR_GET_REASON(3) of PEM_read_bio(3) at the end of what it reads.
static const int sync_pem_no_start_line = PEM_R_NO_START_LINE;

/// ERR_GET_REASON(3): which of its library's errors it is.
static inline int sync_error_reason(unsigned long error) { return ERR_GET_REASON(error); }

#endif
