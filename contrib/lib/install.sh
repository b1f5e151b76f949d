# Sourced by the scripts beside it: says what is missing and installs it, quietly and only then.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# What the build links against, and what it needs at run time.
build_packages=(libssl-dev libsqlite3-dev libxxhash-dev zlib1g-dev libgumbo-dev pkg-config)
# What the test bed starts, and the programs it compares with.
test_packages=(
  dovecot-imapd cyrus-common isync strace neomutt notmuch maildir-utils openssl python3 mandoc time
  util-linux procps rsync sqlite3 gpg postfix dovecot-lmtpd msmtp git git-email libmailtools-perl tmux aerc
  mblaze offlineimap3 emacs-nox mu4e zsh fish python3-kubernetes
)

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

missing_packages() {
  local package
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done
}

# Those of the servers that nobody uses here: neither enabled nor running. Somebody's own mail server stays as it is,
# also where a package is installed beside it.
idle_services() {
  local service
  for service in dovecot.socket dovecot.service cyrus-imapd.service postfix.service; do
    systemctl --quiet is-enabled "$service" 2>/dev/null ||
      systemctl --quiet is-active "$service" 2>/dev/null || echo "$service"
  done
}

# Says why the packages were not installed, where that is to be seen: nothing is removed for them.
say_obstacle() {
  local gone
  echo "apt-get could not install: $*" >&2
  gone=$(LC_ALL=C apt-get -s install --no-install-recommends "$@" 2>/dev/null |
    sed -n 's/^Remv \([^ ]*\).*/\1/p') || true
  [ -n "$gone" ] || return 0
  echo "They exclude packages that are installed here, and those stay:" $gone >&2
  echo "Remove them yourself where nobody needs them; else take another machine, or a container." >&2
}

# Installs those of the packages that are missing, and removes none, but where MIRROR_TEST_MAY_REMOVE is set: on a
# machine that is the tests' alone. Servers among them are neither started nor left enabled: ours run in the foreground,
# on ports of their own.
need_packages() {
  local missing idle= policy=/usr/sbin/policy-rc.d made= removal=--no-remove
  [ -z "${MIRROR_TEST_MAY_REMOVE-}" ] || removal=
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  if ! command -v apt-get >/dev/null; then
    echo "These packages are missing, and there is no apt-get to install them:" $missing >&2
    exit 69
  fi
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    echo "These packages are missing; install them as root:" $missing >&2
    exit 77
  fi
  echo "installing:" $missing
  [ ! -d /run/systemd/system ] || idle=$(idle_services)
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
    as_root chmod 755 "$policy"
    made=yes
  fi
  local failed=
  { as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends $removal $missing; } >/dev/null || failed=yes
  [ -z "$made" ] || as_root rm -f "$policy"
  local service
  for service in $idle; do
    case "$missing" in
      *"${service%%[-.]*}"*) as_root systemctl disable --now "$service" >/dev/null 2>&1 || true ;;
    esac
  done
  [ -z "$failed" ] || { say_obstacle $missing; exit 69; }
}

need_swift() {
  if ! command -v swift >/dev/null; then
    echo "Swift 6.3 or later is needed: https://www.swift.org/install/linux/" >&2
    exit 69
  fi
}

# Unpacks a Debian package that excludes one which is installed: unpack_beside PACKAGE DIRECTORY FILE, where FILE is
# what must lie in the directory afterwards.
unpack_beside() {
  local package=$1 directory=$2 file=$3 scratch
  [ ! -x "$directory/$file" ] || return 0
  echo "unpacking $package into $directory"
  scratch=$(mktemp -d)
  (
    cd "$scratch"
    chmod 755 .
    # apt-get knows the versions only after an update.
    apt-get download -qq "$package" >/dev/null 2>&1 || {
      as_root apt-get update -qq >/dev/null
      apt-get download -qq "$package" >/dev/null 2>&1
    }
    as_root mkdir -p "$directory"
    as_root dpkg -x "$package"_*.deb "$directory"
  )
  rm -rf "$scratch"
  [ -x "$directory/$file" ] || { echo "$package could not be unpacked" >&2; return 69; }
}

# Debian's cyrus-imapd and dovecot-imapd exclude each other.
need_cyrus() {
  export MIRROR_CYRUS_ROOT=${MIRROR_CYRUS_ROOT:-/var/cache/mirror-test/cyrus}
  unpack_beside cyrus-imapd "$MIRROR_CYRUS_ROOT" usr/lib/cyrus/bin/imapd
}

# Nor can two mail servers be installed. Exim needs its libraries, and the user whose name it is built with.
need_exim() {
  export MIRROR_EXIM_ROOT=${MIRROR_EXIM_ROOT:-/var/cache/mirror-test/exim}
  unpack_beside exim4-daemon-light "$MIRROR_EXIM_ROOT" usr/sbin/exim4 || return
  need_packages $(apt-cache depends exim4-daemon-light | sed -n 's/^ *Depends: \(lib[^ ]*\)$/\1/p') || return
  # The file alone would do, but its set-user-id bit serves nobody here.
  as_root chmod u-s "$MIRROR_EXIM_ROOT/usr/sbin/exim4"
  id Debian-exim >/dev/null 2>&1 ||
    as_root useradd --system --user-group --no-create-home --home-dir /nonexistent \
      --shell /usr/sbin/nologin Debian-exim
}

# Courier for every run of the tests. Its watcher of files looks for the user who owns the mail by name.
need_courier() {
  export MIRROR_SERVERS_ROOT=${MIRROR_SERVERS_ROOT:-/var/cache/mirror-test/servers}
  need_packages gamin libcourier-unicode4 libidn12 libgdbm6 libltdl7 || return
  unpack_beside courier-authlib "$MIRROR_SERVERS_ROOT" usr/lib/courier/courier-authlib/authdaemond || return
  unpack_beside courier-base "$MIRROR_SERVERS_ROOT" usr/sbin/couriertcpd || return
  unpack_beside courier-imap "$MIRROR_SERVERS_ROOT" usr/bin/imapd
}

# The other servers of the matrix, for `contrib/test --long servers`.
need_servers() {
  need_courier || return
  need_packages libmailutils9 libmu-dbm9 libgsasl18 libvanessa-adt1 libvanessa-logger0 libvanessa-socket2 \
    libwrap0 libncurses6 python3-pip || return
  unpack_beside mailutils-imap4d "$MIRROR_SERVERS_ROOT" usr/sbin/imap4d || return
  unpack_beside perdition "$MIRROR_SERVERS_ROOT" usr/sbin/perdition.imap4 || return
  unpack_beside imapproxy "$MIRROR_SERVERS_ROOT" usr/sbin/imapproxyd || return
  [ -x "$MIRROR_SERVERS_ROOT/pymap/bin/pymap" ] ||
    as_root python3 -m pip install --quiet --root-user-action ignore \
      --target "$MIRROR_SERVERS_ROOT/pymap" pymap==0.36.7
}

# Runs a step, prints how long it took, and keeps the figure for the summary.
steps=()
step() {
  local name=$1 begun status=0
  shift
  begun=$(date +%s)
  echo "== $name"
  "$@" || status=$?
  steps+=("$name: $(($(date +%s) - begun)) s$([ $status = 0 ] || echo ", FAILED ($status)")")
  echo "== ${steps[-1]}"
  return $status
}
