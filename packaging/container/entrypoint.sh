#!/bin/sh
# PostgreSQL's initdb requires that its user has a name. Platforms such as OpenShift choose a user id without a name.
# The image adds /var/lib/extrausers/passwd to the user database. It is a link to /tmp/belfry-passwd.
if ! getent passwd "$(id -u)" >/dev/null; then
  printf 'container:x:%s:100::/data:/usr/sbin/nologin\n' "$(id -u)" >/tmp/belfry-passwd
fi
exec belfry "$@"
