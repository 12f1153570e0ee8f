/// libFuzzer's driver: calls `test` with inputs that it makes until it is told to stop.
#ifndef FUSE_FUZZER_H
#define FUSE_FUZZER_H
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));
#endif
