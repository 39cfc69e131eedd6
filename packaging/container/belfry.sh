#!/bin/sh
exec node /opt/belfry/bin/belfry.js "$@"
