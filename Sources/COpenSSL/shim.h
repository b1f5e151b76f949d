#pragma once
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// Swift cannot see function-like macros; each of these wraps one.

static inline int mirror_ssl_ctx_min_version(SSL_CTX *ctx) { return (int)SSL_CTX_get_min_proto_version(ctx); }
static inline int mirror_ssl_ctx_set_min_version(SSL_CTX *ctx, int version) {
  return (int)SSL_CTX_set_min_proto_version(ctx, version);
}
static inline int mirror_ssl_ctx_max_version(SSL_CTX *ctx) { return (int)SSL_CTX_get_max_proto_version(ctx); }
static inline int mirror_ssl_ctx_set_max_version(SSL_CTX *ctx, int version) {
  return (int)SSL_CTX_set_max_proto_version(ctx, version);
}
static inline void mirror_ssl_ctx_set_mode(SSL_CTX *ctx, long mode) { SSL_CTX_set_mode(ctx, mode); }
static inline void mirror_ssl_ctx_set_client_cache(SSL_CTX *ctx) {
  SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
}
static inline void mirror_ssl_ctx_set_read_ahead(SSL_CTX *ctx) { SSL_CTX_set_read_ahead(ctx, 1); }
static inline void mirror_ssl_ctx_set_options(SSL_CTX *ctx) {
  SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION
#ifdef SSL_OP_IGNORE_UNEXPECTED_EOF
                               | SSL_OP_IGNORE_UNEXPECTED_EOF
#endif
  );
}
static inline int mirror_ssl_set_server_name(SSL *ssl, const char *name) {
  return (int)SSL_set_tlsext_host_name(ssl, name);
}
static inline int mirror_ssl_has_extended_master_secret(SSL *ssl) {
  return SSL_get_extms_support(ssl) == 1;
}
static inline int mirror_err_reason(unsigned long code) { return ERR_GET_REASON(code); }
static inline X509 *mirror_ssl_peer_certificate(const SSL *ssl) { return SSL_get1_peer_certificate(ssl); }
static inline BIO *mirror_bio_memory(void) { return BIO_new(BIO_s_mem()); }
static inline long mirror_bio_bytes(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }
static inline const EVP_MD *mirror_digest_by_nid(int nid) { return EVP_get_digestbynid(nid); }
