/** The commands that Belfry runs get this PATH instead of the server's environment, which may contain secrets. */
export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
