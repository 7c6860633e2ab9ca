// Of libsodium only two keyed hashes are imported: the digests need no other part of it.
#ifndef SYNC_CSODIUM_SHIM_H
#define SYNC_CSODIUM_SHIM_H

#include <sodium/crypto_generichash_blake2b.h>
#include <sodium/crypto_shorthash_siphash24.h>

#endif
