#!/bin/sh
# Runs Belfry with the Node 26 of this package and with the configuration of the service. If root runs this script,
# Belfry itself becomes the service's user before it uses the data folder. The script must not do that with a program
# such as setpriv or runuser: other processes of that user could attach to Belfry, and type into root's terminal.
set -e

: "${BELFRY_CONFIG:=/etc/belfry/belfry.env}"
export BELFRY_CONFIG
# The cache of compiled code would be in /tmp, and stay there after the package is removed.
export NODE_DISABLE_COMPILE_CACHE=1

flags=--max-semi-space-size=8
if [ "$(id -u)" = 0 ]; then
  # Other processes of the service's user must not reach Node's debugger. SIGUSR1 could open it, and so could an option
  # in NODE_OPTIONS.
  flags="$flags --disable-sigusr1"
  unset NODE_OPTIONS
fi

# shellcheck disable=SC2086
exec /usr/lib/belfry/node $flags /usr/lib/belfry/bin/belfry.js "$@"
