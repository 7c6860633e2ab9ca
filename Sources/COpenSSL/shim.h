// Of OpenSSL only libcrypto: hashes, derived keys and the check of signatures.
#ifndef SYNC_COPENSSL_SHIM_H
#define SYNC_COPENSSL_SHIM_H

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

#endif
