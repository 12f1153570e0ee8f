#include "fuse_mqtt.h"

#if __has_include(<mosquitto.h>)
#include <dlfcn.h>
#include <errno.h>
#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char library[] = "libmosquitto.so.1";
static char missing[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

#define FUNCTIONS(use)                                                                                          \
  use(lib_init) use(new) use(destroy) use(int_option) use(username_pw_set) use(tls_set) use(will_set)           \
  use(connect) use(disconnect) use(subscribe) use(publish_v5) use(loop_read) use(loop_write) use(loop_misc)     \
  use(socket) use(want_write) use(strerror) use(reason_string) use(property_add_string_pair)                    \
  use(property_free_all) use(connect_v5_callback_set) use(publish_v5_callback_set) use(message_v5_callback_set) \
  use(connack_string)

static struct {
#define DECLARE(name) __typeof__(mosquitto_##name) *name;
  FUNCTIONS(DECLARE)
} api;

static void load(void) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    snprintf(missing, sizeof missing, "%s is not there, expected it: apt-get install libmosquitto1", library);
    return;
  }
#define FIND(name)                                                              \
  *(void **)&api.name = dlsym(handle, "mosquitto_" #name);                      \
  if (!api.name) snprintf(missing, sizeof missing, "%s lacks mosquitto_" #name ", expected version 2", library);
  FUNCTIONS(FIND)
  if (!missing[0]) api.lib_init();
}

const char *fuse_mqtt_missing(void) {
  pthread_once(&once, load);
  return missing[0] ? missing : NULL;
}

struct fuse_mqtt {
  struct mosquitto *client;
  fuse_mqtt_events events;
  void *context;
};

static void on_connect(struct mosquitto *client, void *self, int code, int flags, const mosquitto_property *properties) {
  struct fuse_mqtt *one = self;
  one->events.connected(one->context, code, code ? api.reason_string(code) : "");
}

static void on_publish(struct mosquitto *client, void *self, int message, int code, const mosquitto_property *properties) {
  struct fuse_mqtt *one = self;
  one->events.confirmed(one->context, message);
}

static void on_message(struct mosquitto *client, void *self, const struct mosquitto_message *message,
                       const mosquitto_property *properties) {
  struct fuse_mqtt *one = self;
  if (!message->retain) one->events.arrived(one->context, message->topic, message->payload, (size_t)message->payloadlen);
}

fuse_mqtt *fuse_mqtt_new(const char *name, const fuse_mqtt_events *events, void *context) {
  struct fuse_mqtt *one = calloc(1, sizeof *one);
  if (!one) return NULL;
  one->events = *events;
  one->context = context;
  one->client = api.new(name, true, one);
  if (!one->client || api.int_option(one->client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5)) {
    fuse_mqtt_free(one);
    return NULL;
  }
  api.connect_v5_callback_set(one->client, on_connect);
  api.publish_v5_callback_set(one->client, on_publish);
  api.message_v5_callback_set(one->client, on_message);
  return one;
}

void fuse_mqtt_free(fuse_mqtt *client) {
  if (client->client) api.destroy(client->client);
  free(client);
}

int fuse_mqtt_account(fuse_mqtt *client, const char *user, const char *password) {
  return api.username_pw_set(client->client, user, password);
}

int fuse_mqtt_tls(fuse_mqtt *client, const char *authorities) {
  return api.tls_set(client->client, authorities, authorities ? NULL : "/etc/ssl/certs", NULL, NULL, NULL);
}

int fuse_mqtt_will(fuse_mqtt *client, const char *topic, const void *bytes, size_t count) {
  return api.will_set(client->client, topic, (int)count, bytes, 1, true);
}

int fuse_mqtt_connect(fuse_mqtt *client, const char *host, int port, int keepalive_seconds) {
  return api.connect(client->client, host, port, keepalive_seconds);
}

int fuse_mqtt_disconnect(fuse_mqtt *client) { return api.disconnect(client->client); }

int fuse_mqtt_subscribe(fuse_mqtt *client, const char *topic) { return api.subscribe(client->client, NULL, topic, 1); }

int fuse_mqtt_publish(fuse_mqtt *client, int *message, const char *topic, const void *bytes, size_t count, int retain,
                      const char *index) {
  mosquitto_property *properties = NULL;
  int code = index ? api.property_add_string_pair(&properties, MQTT_PROP_USER_PROPERTY, "index", index) : 0;
  if (!code) code = api.publish_v5(client->client, message, topic, (int)count, bytes, 1, retain, properties);
  api.property_free_all(&properties);
  return code;
}

int fuse_mqtt_wait(fuse_mqtt *client, int wake, int milliseconds) {
  struct pollfd both[2] = {{wake, POLLIN, 0}, {api.socket(client->client), POLLIN, 0}};
  if (both[1].fd < 0) return MOSQ_ERR_NO_CONN;
  if (api.want_write(client->client)) both[1].events |= POLLOUT;
  if (poll(both, 2, milliseconds) < 0 && errno != EINTR) return MOSQ_ERR_ERRNO;
  int code = 0;
  if (both[1].revents & (POLLIN | POLLHUP | POLLERR)) code = api.loop_read(client->client, 100);
  if (!code && (both[1].revents & POLLOUT)) code = api.loop_write(client->client, 100);
  return code ? code : api.loop_misc(client->client);
}

const char *fuse_mqtt_words(int code) { return code == MOSQ_ERR_ERRNO ? strerror(errno) : api.strerror(code); }

#else
const char *fuse_mqtt_missing(void) {
  return "this fuse was built without MQTT, expected libmosquitto's header: apt-get install libmosquitto-dev, then build "
         "again";
}
fuse_mqtt *fuse_mqtt_new(const char *name, const fuse_mqtt_events *events, void *context) { return NULL; }
void fuse_mqtt_free(fuse_mqtt *client) {}
int fuse_mqtt_account(fuse_mqtt *client, const char *user, const char *password) { return 1; }
int fuse_mqtt_tls(fuse_mqtt *client, const char *authorities) { return 1; }
int fuse_mqtt_will(fuse_mqtt *client, const char *topic, const void *bytes, size_t count) { return 1; }
int fuse_mqtt_connect(fuse_mqtt *client, const char *host, int port, int keepalive_seconds) { return 1; }
int fuse_mqtt_disconnect(fuse_mqtt *client) { return 1; }
int fuse_mqtt_subscribe(fuse_mqtt *client, const char *topic) { return 1; }
int fuse_mqtt_publish(fuse_mqtt *client, int *message, const char *topic, const void *bytes, size_t count, int retain,
                      const char *index) {
  return 1;
}
int fuse_mqtt_wait(fuse_mqtt *client, int wake, int milliseconds) { return 1; }
const char *fuse_mqtt_words(int code) { return ""; }
#endif
