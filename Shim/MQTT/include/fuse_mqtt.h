/// A client of an MQTT 5 broker behind a plain C interface to libmosquitto.
///
/// libmosquitto is needed neither to build nor to run: without its header (libmosquitto-dev) at build time, or without the
/// library at run time, `fuse_mqtt_missing` says so in words, and nothing else may be called. A client belongs to one
/// thread; events come within `fuse_mqtt_wait`, on that thread. Functions return 0, or a code for `fuse_mqtt_words`.
#ifndef FUSE_MQTT_H
#define FUSE_MQTT_H
#include <stddef.h>

typedef struct fuse_mqtt fuse_mqtt;

/// What happens; `code` is 0 or a reason, in words beside it.
typedef struct {
  void (*connected)(void *context, int code, const char *words);
  void (*confirmed)(void *context, int message);
  void (*arrived)(void *context, const char *topic, const void *bytes, size_t count);
} fuse_mqtt_events;

/// NULL where clients can be made; else what lacks, in words.
const char *fuse_mqtt_missing(void);

fuse_mqtt *fuse_mqtt_new(const char *name, const fuse_mqtt_events *events, void *context);
void fuse_mqtt_free(fuse_mqtt *client);
int fuse_mqtt_account(fuse_mqtt *client, const char *user, const char *password);
/// TLS with the certificates of a file, or with the system's where it is NULL.
int fuse_mqtt_tls(fuse_mqtt *client, const char *authorities);
/// What the broker says, and keeps, when this client is gone without a word.
int fuse_mqtt_will(fuse_mqtt *client, const char *topic, const void *bytes, size_t count);
int fuse_mqtt_connect(fuse_mqtt *client, const char *host, int port, int keepalive_seconds);
/// Says goodbye; the will is not said.
int fuse_mqtt_disconnect(fuse_mqtt *client);
int fuse_mqtt_subscribe(fuse_mqtt *client, const char *topic);
/// Publishes at least once; `message` is its number for `confirmed`. `index` becomes a user property; NULL: none.
int fuse_mqtt_publish(fuse_mqtt *client, int *message, const char *topic, const void *bytes, size_t count, int retain,
                      const char *index);
/// Reads and writes what there is, waiting for it, or for a byte at the descriptor `wake`, at most so long.
int fuse_mqtt_wait(fuse_mqtt *client, int wake, int milliseconds);
const char *fuse_mqtt_words(int code);
#endif
