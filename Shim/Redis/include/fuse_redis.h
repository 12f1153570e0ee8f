/// Commands to a Redis server and their replies, behind a plain C interface to hiredis.
///
/// hiredis is needed neither to build nor to run: without its header (libhiredis-dev) at build time, or without the
/// library of that header's version at run time, `fuse_redis_missing` says so in words, and nothing else may be called.
/// A connection belongs to one thread at a time.
#ifndef FUSE_REDIS_H
#define FUSE_REDIS_H
#include <stddef.h>

/// A connection.
typedef struct fuse_redis fuse_redis;

/// Kinds of replies.
enum {
  FUSE_REDIS_NOTHING = 0,
  FUSE_REDIS_TEXT = 1,     ///< bytes; also a status
  FUSE_REDIS_NUMBER = 2,
  FUSE_REDIS_LIST = 3,
  FUSE_REDIS_ERROR = 4     ///< the server's words
};

/// NULL where connections can be made; else what lacks, in words.
const char *fuse_redis_missing(void);

/// A connection; NULL with words in `error`. `milliseconds` bounds the connecting and every later wait for the server.
fuse_redis *fuse_redis_open(const char *host, int port, int milliseconds, char *error, size_t size);

/// Ends a connection.
void fuse_redis_close(fuse_redis *connection);

/// Adds a command of `count` words to what is sent with the next `fuse_redis_receive`; 0 where there is no memory for it.
int fuse_redis_send(fuse_redis *connection, int count, const char *const *words, const size_t *lengths);

/// Sends what was added, and waits for the next reply, in the order of the commands. NULL with words in `error`: the
/// connection is of no more use.
void *fuse_redis_receive(fuse_redis *connection, char *error, size_t size);

/// Frees a reply, with its elements.
void fuse_redis_free(void *reply);

int fuse_redis_kind(const void *reply);
long long fuse_redis_number(const void *reply);
const char *fuse_redis_text(const void *reply, size_t *length);
size_t fuse_redis_count(const void *reply);
const void *fuse_redis_element(const void *reply, size_t index);
#endif
