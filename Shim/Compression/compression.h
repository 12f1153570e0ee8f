/* zlib, for bodies with Content-Encoding: gzip, and for zip files. */
#include <zlib.h>
static inline int fuse_inflate_gzip_begin(z_stream *stream) { return inflateInit2(stream, 16 + MAX_WBITS); }
static inline int fuse_inflate_raw_begin(z_stream *stream) { return inflateInit2(stream, -MAX_WBITS); }
