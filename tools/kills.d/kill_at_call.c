/* Preloaded by tools/kills: ends the process with $KILL_SIGNAL at the $KILL_AT-th call that changes names in a folder
   (rename, link, unlink), before it takes place; counted from 1 over the whole process. Without $KILL_AT it writes their
   number to the file $KILL_COUNT. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int calls;

__attribute__((destructor)) static void tell(void) {
  const char *path = getenv("KILL_COUNT");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  fprintf(file, "%d", calls);
  fclose(file);
}

static void count(void) {
  const char *at = getenv("KILL_AT"), *number = getenv("KILL_SIGNAL");
  const int now = __sync_add_and_fetch(&calls, 1);
  if (!at || now != atoi(at)) return;
  kill(getpid(), number ? atoi(number) : SIGKILL);
  /* A handled signal is dealt with by another thread. */
  if (number && atoi(number) != SIGKILL) usleep(200000);
}

int rename(const char *from, const char *to) {
  count();
  return ((int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename"))(from, to);
}

int link(const char *from, const char *to) {
  count();
  return ((int (*)(const char *, const char *))dlsym(RTLD_NEXT, "link"))(from, to);
}

int unlink(const char *path) {
  count();
  return ((int (*)(const char *))dlsym(RTLD_NEXT, "unlink"))(path);
}
