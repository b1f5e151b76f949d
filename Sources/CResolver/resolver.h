// The C library's resolver, with a buffer for its answer that the caller bounds.
#pragma once

#include <netinet/in.h>
#include <resolv.h>
#include <string.h>

/// Sends one question of class IN to the system's name servers and waits for the answer.
///
/// `server`, an IPv4 address in network order, and `port`, in host order, ask that one server instead (0: the system's).
/// Each try waits `seconds`, and there are `tries`. Returns the answer's length, which may be larger than `capacity`
/// where it was cut off, or less than 1: the negative of 1 (no such name), 4 (no record of that type), or another
/// number of netdb.h's h_errno (no answer).
static inline int resolver_query(
    const char *_Nonnull name, int type, uint32_t server, uint16_t port, int seconds, int tries,
    unsigned char *_Nonnull answer, int capacity) {
  struct __res_state state;
  memset(&state, 0, sizeof state);
  if (res_ninit(&state) != 0) return -3;
  state.retrans = seconds;
  state.retry = tries;
  if (server != 0) {
    state.nscount = 1;
    memset(&state.nsaddr_list[0], 0, sizeof state.nsaddr_list[0]);
    state.nsaddr_list[0].sin_family = AF_INET;
    state.nsaddr_list[0].sin_addr.s_addr = server;
    state.nsaddr_list[0].sin_port = htons(port);
  }
  int length = res_nquery(&state, name, 1 /* IN */, type, answer, capacity);
  if (length < 0) length = state.res_h_errno > 0 ? -state.res_h_errno : -2;
#if defined(__APPLE__)
  res_ndestroy(&state);
#else
  res_nclose(&state);
#endif
  return length;
}
