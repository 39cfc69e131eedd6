#!/bin/sh
# PostgreSQL's initdb requires that its user has a name. Platforms such as OpenShift choose a user id that has none.
# /var/lib/extrausers/passwd, which the image adds to the user database, is a link to this file.
if ! getent passwd "$(id -u)" >/dev/null; then
  printf 'container:x:%s:100::/data:/usr/sbin/nologin\n' "$(id -u)" >/tmp/belfry-passwd
fi
exec belfry "$@"
