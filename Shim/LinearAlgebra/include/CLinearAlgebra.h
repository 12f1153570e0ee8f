#ifndef FUSE_LINEAR_ALGEBRA_H
#define FUSE_LINEAR_ALGEBRA_H
#ifdef __cplusplus
extern "C" {
#endif
int fuse_la_version(void);
#ifdef __cplusplus
}
#endif
#endif
