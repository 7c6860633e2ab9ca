// Counts what a thread allocates, for benchmarks and their tests; nothing that ships links this.
#ifndef SYNC_CALLOCATIONS_H
#define SYNC_CALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

/// How often the calling thread has asked for memory since it began; 0 when nothing is counted.
uint64_t sync_allocation_count(void);

/// Whether allocations are counted: not under a sanitizer, which has an allocator of its own.
bool sync_counts_allocations(void);

#endif
