/* The one call we need of OpenSSL's libcrypto: SHA-256 through the EVP interface. */
#include <openssl/evp.h>
