// glibc's allocator with a counter in front of it. In C, because it must define `malloc` itself,
// and Swift's runtime allocates before any Swift code could count.
#include "CAllocations.h"
#include <errno.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SYNC_SANITIZED 1
#endif
#endif

#ifdef SYNC_SANITIZED

uint64_t sync_allocation_count(void) { return 0; }
bool sync_counts_allocations(void) { return false; }

#else

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

// Per thread, so that tests that run beside each other do not see each other's.
static _Thread_local uint64_t count;

uint64_t sync_allocation_count(void) { return count; }
bool sync_counts_allocations(void) { return true; }

void *malloc(size_t size) {
    count += 1;
    return __libc_malloc(size);
}

void *calloc(size_t members, size_t size) {
    count += 1;
    return __libc_calloc(members, size);
}

void *realloc(void *memory, size_t size) {
    count += 1;
    return __libc_realloc(memory, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    count += 1;
    // posix_memalign(3): a power of two, and a multiple of a pointer's size.
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) {
        return EINVAL;
    }
    void *memory = __libc_memalign(alignment, size);
    if (memory == NULL) return ENOMEM;
    *result = memory;
    return 0;
}

void *aligned_alloc(size_t alignment, size_t size) {
    count += 1;
    return __libc_memalign(alignment, size);
}

#endif
