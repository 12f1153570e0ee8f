/* Two renames that POSIX does not have: each is one step, which another process sees done or not done. */
#pragma once
#include <stdio.h>

#if defined(__APPLE__)
#include <sys/stdio.h>
static inline int fuse_exchange(const char *a, const char *b) { return renamex_np(a, b, RENAME_SWAP); }
static inline int fuse_rename_new(const char *from, const char *to) { return renamex_np(from, to, RENAME_EXCL); }
#else
/* Declared here: glibc declares it with _GNU_SOURCE only, which a module does not define. */
extern int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned int flags);
enum { fuse_here = -100 /* AT_FDCWD */ };
/* Two existing names change places. 0, or -1 with errno. */
static inline int fuse_exchange(const char *a, const char *b) { return renameat2(fuse_here, a, fuse_here, b, 2); }
/* A name is given up for another, which nothing has yet (EEXIST). 0, or -1 with errno. */
static inline int fuse_rename_new(const char *from, const char *to) {
  return renameat2(fuse_here, from, fuse_here, to, 1);
}
#endif
