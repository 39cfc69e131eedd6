#!/bin/sh
# Runs Belfry with the Node 26 of this package and with the configuration of the service.
set -e

config=/etc/belfry/belfry.env
: "${BELFRY_CONFIG:=$config}"
export BELFRY_CONFIG
# The cache of compiled code would be in /tmp, and stay there after the package is removed.
export NODE_DISABLE_COMPILE_CACHE=1

act_as_service=no
if [ "$(id -u)" = 0 ] && [ "$BELFRY_CONFIG" = "$config" ]; then
  case "${1:-}" in
    # The first four read and write files of the administrator. `doctor` reads the settings of the running server, which
    # Linux shows only to root, and `service` controls it. As root, they start PostgreSQL as the owner of the data folder, and
    # everything in that folder keeps its owner.
    backup | restore | rollback | traffic | doctor | service) ;;
    *) act_as_service=yes ;;
  esac
  for argument; do
    case "$argument" in
      --config | --config=*) act_as_service=no ;;
    esac
  done
fi

set -- /usr/lib/belfry/node --max-semi-space-size=8 /usr/lib/belfry/bin/belfry.js "$@"
# For root, everything else runs as the user of the service, so that no file of root stays in the data folder. setpriv, unlike
# runuser, replaces itself with the program, and needs no login session.
if [ "$act_as_service" = yes ]; then
  set -- /usr/bin/setpriv --reuid belfry --regid belfry --init-groups -- "$@"
fi
exec "$@"
