/* Preloaded by tools/kills: at the $FAULT_AT-th call of a class, counted from 1 over the whole process, the process gets
   the signal $FAULT_SIGNAL before the call takes place, or the call fails with $FAULT_ERRNO. Classes ($FAULT_CLASS): `names`
   changes names in a folder, `writes` writes to a file, `syncs` waits for the disk, `reads` reads a file. Without
   $FAULT_AT the numbers of calls are written to the file $FAULT_COUNT, in this order. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { names, writes, syncs, reads, classes };
static const char *const words[classes] = {"names", "writes", "syncs", "reads"};
static int calls[classes];

__attribute__((destructor)) static void tell(void) {
  const char *path = getenv("FAULT_COUNT");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  fprintf(file, "%d %d %d %d", calls[names], calls[writes], calls[syncs], calls[reads]);
  fclose(file);
}

/* Whether the call is to fail. */
static int fault(int class) {
  const char *at = getenv("FAULT_AT"), *number = getenv("FAULT_SIGNAL"), *error = getenv("FAULT_ERRNO");
  const char *which = getenv("FAULT_CLASS");
  const int now = __sync_add_and_fetch(&calls[class], 1);
  if (!at || !which || strcmp(which, words[class]) != 0 || now != atoi(at)) return 0;
  if (error) {
    errno = atoi(error);
    return 1;
  }
  kill(getpid(), number ? atoi(number) : SIGKILL);
  /* A handled signal is dealt with by another thread. */
  if (number && atoi(number) != SIGKILL) usleep(200000);
  return 0;
}

/* Pipes, terminals and the three standard streams are not what is tested. */
static int is_file(int descriptor) {
  struct stat status;
  return descriptor > 2 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

#define NEXT(type, name) ((type)dlsym(RTLD_NEXT, name))

int rename(const char *from, const char *to) {
  if (fault(names)) return -1;
  return NEXT(int (*)(const char *, const char *), "rename")(from, to);
}

int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
  if (fault(names)) return -1;
  return NEXT(int (*)(int, const char *, int, const char *, unsigned), "renameat2")(a, from, b, to, flags);
}

int link(const char *from, const char *to) {
  if (fault(names)) return -1;
  return NEXT(int (*)(const char *, const char *), "link")(from, to);
}

int linkat(int a, const char *from, int b, const char *to, int flags) {
  if (fault(names)) return -1;
  return NEXT(int (*)(int, const char *, int, const char *, int), "linkat")(a, from, b, to, flags);
}

int mkdir(const char *path, mode_t mode) {
  if (fault(names)) return -1;
  return NEXT(int (*)(const char *, mode_t), "mkdir")(path, mode);
}

/* What removes is only killed at: a name that cannot be removed is no loss. */
static void removal(void) {
  if (!getenv("FAULT_ERRNO")) fault(names);
}

int unlink(const char *path) {
  removal();
  return NEXT(int (*)(const char *), "unlink")(path);
}

int unlinkat(int folder, const char *path, int flags) {
  removal();
  return NEXT(int (*)(int, const char *, int), "unlinkat")(folder, path, flags);
}

int rmdir(const char *path) {
  removal();
  return NEXT(int (*)(const char *), "rmdir")(path);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  if (is_file(descriptor) && fault(writes)) return -1;
  return NEXT(ssize_t (*)(int, const void *, size_t), "write")(descriptor, bytes, count);
}

int fsync(int descriptor) {
  if (fault(syncs)) return -1;
  return NEXT(int (*)(int), "fsync")(descriptor);
}

int fdatasync(int descriptor) {
  if (fault(syncs)) return -1;
  return NEXT(int (*)(int), "fdatasync")(descriptor);
}

ssize_t read(int descriptor, void *bytes, size_t count) {
  if (is_file(descriptor) && fault(reads)) return -1;
  return NEXT(ssize_t (*)(int, void *, size_t), "read")(descriptor, bytes, count);
}
