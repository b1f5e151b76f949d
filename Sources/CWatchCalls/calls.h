// What Swift's Glibc module leaves out of the calls that a watch needs: netlink and statfs.
#pragma once

#if defined(__linux__)
#include <linux/magic.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/vfs.h>
#include <unistd.h>

/// The number of the file system that the open file lies on, as statfs(2) lists them; 0 where it cannot be asked.
static inline uint32_t watch_file_system(int descriptor) {
  struct statfs facts;
  return fstatfs(descriptor, &facts) == 0 ? (uint32_t)facts.f_type : 0;
}

/// A socket on which the kernel reports changes of links, addresses and routes; -1 with errno where there is none.
static inline int watch_open_network(void) {
  int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  if (descriptor < 0) return -1;
  struct sockaddr_nl address = {.nl_family = AF_NETLINK};
  address.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_IFADDR | RTMGRP_IPV6_ROUTE;
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
  close(descriptor);
  return -1;
}

/// A timer that comes to its end when the clock is set, as it is after a sleep, and else in no lifetime; -1 with errno where
/// there is none.
static inline int watch_open_alarm(void) { return timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK); }

/// Winds it up again; 0 where that could be done.
static inline int watch_wind_alarm(int descriptor) {
  struct itimerspec end = {.it_value = {.tv_sec = (time_t)1 << 40}};
  return timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &end, NULL);
}
#endif
