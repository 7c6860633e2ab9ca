// Of libcbor only the decoder and the encoder of single items are imported: no tree is ever built.
#ifndef SYNC_CCBOR_SHIM_H
#define SYNC_CCBOR_SHIM_H

#include <cbor/callbacks.h>
#include <cbor/encoding.h>
#include <cbor/streaming.h>

#endif
