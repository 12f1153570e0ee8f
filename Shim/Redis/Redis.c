#include "fuse_redis.h"

#if __has_include(<hiredis/hiredis.h>)
#include <dlfcn.h>
#include <hiredis/hiredis.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)
// The library of the header's version: its structures are read here.
static const char library[] = "libhiredis.so." TEXT(HIREDIS_SONAME);
static char missing[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static struct {
  redisContext *(*connect)(const char *, int, const struct timeval);
  int (*timeout)(redisContext *, const struct timeval);
  void (*free_context)(redisContext *);
  int (*append)(redisContext *, int, const char **, const size_t *);
  int (*reply)(redisContext *, void **);
  void (*free_reply)(void *);
} api;

static void load(void) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    snprintf(missing, sizeof missing, "%s is not there, expected it: apt-get install libhiredis%s", library,
             TEXT(HIREDIS_SONAME));
    return;
  }
  *(void **)&api.connect = dlsym(handle, "redisConnectWithTimeout");
  *(void **)&api.timeout = dlsym(handle, "redisSetTimeout");
  *(void **)&api.free_context = dlsym(handle, "redisFree");
  *(void **)&api.append = dlsym(handle, "redisAppendCommandArgv");
  *(void **)&api.reply = dlsym(handle, "redisGetReply");
  *(void **)&api.free_reply = dlsym(handle, "freeReplyObject");
  if (!api.connect || !api.timeout || !api.free_context || !api.append || !api.reply || !api.free_reply)
    snprintf(missing, sizeof missing, "%s lacks a function, expected hiredis", library);
}

const char *fuse_redis_missing(void) {
  pthread_once(&once, load);
  return missing[0] ? missing : NULL;
}

fuse_redis *fuse_redis_open(const char *host, int port, int milliseconds, char *error, size_t size) {
  struct timeval wait = {milliseconds / 1000, milliseconds % 1000 * 1000};
  redisContext *context = api.connect(host, port, wait);
  if (!context || context->err || api.timeout(context, wait) != REDIS_OK) {
    snprintf(error, size, "%s", context ? context->errstr : "no memory");
    if (context) api.free_context(context);
    return NULL;
  }
  return (fuse_redis *)context;
}

void fuse_redis_close(fuse_redis *connection) { api.free_context((redisContext *)connection); }

int fuse_redis_send(fuse_redis *connection, int count, const char *const *words, const size_t *lengths) {
  return api.append((redisContext *)connection, count, (const char **)words, lengths) == REDIS_OK;
}

void *fuse_redis_receive(fuse_redis *connection, char *error, size_t size) {
  redisContext *context = (redisContext *)connection;
  void *reply = NULL;
  if (api.reply(context, &reply) == REDIS_OK && reply) return reply;
  snprintf(error, size, "%s", context->err ? context->errstr : "no reply");
  return NULL;
}

void fuse_redis_free(void *reply) { api.free_reply(reply); }

int fuse_redis_kind(const void *reply) {
  switch (((const redisReply *)reply)->type) {
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS: return FUSE_REDIS_TEXT;
    case REDIS_REPLY_INTEGER: return FUSE_REDIS_NUMBER;
    case REDIS_REPLY_ARRAY: return FUSE_REDIS_LIST;
    case REDIS_REPLY_ERROR: return FUSE_REDIS_ERROR;
    default: return FUSE_REDIS_NOTHING;
  }
}

long long fuse_redis_number(const void *reply) { return ((const redisReply *)reply)->integer; }

const char *fuse_redis_text(const void *reply, size_t *length) {
  *length = ((const redisReply *)reply)->len;
  return ((const redisReply *)reply)->str;
}

size_t fuse_redis_count(const void *reply) { return ((const redisReply *)reply)->elements; }

const void *fuse_redis_element(const void *reply, size_t index) { return ((const redisReply *)reply)->element[index]; }

#else
const char *fuse_redis_missing(void) {
  return "this fuse was built without Redis, expected hiredis' header: apt-get install libhiredis-dev, then build again";
}
fuse_redis *fuse_redis_open(const char *host, int port, int milliseconds, char *error, size_t size) { return NULL; }
void fuse_redis_close(fuse_redis *connection) {}
int fuse_redis_send(fuse_redis *connection, int count, const char *const *words, const size_t *lengths) { return 0; }
void *fuse_redis_receive(fuse_redis *connection, char *error, size_t size) { return NULL; }
void fuse_redis_free(void *reply) {}
int fuse_redis_kind(const void *reply) { return FUSE_REDIS_NOTHING; }
long long fuse_redis_number(const void *reply) { return 0; }
const char *fuse_redis_text(const void *reply, size_t *length) { return NULL; }
size_t fuse_redis_count(const void *reply) { return 0; }
const void *fuse_redis_element(const void *reply, size_t index) { return NULL; }
#endif
