/** What the audit log contains. Its triggers are in migrations/0017_teams.sql and migrations/access. */

/** Who makes changes. `agent` is reserved for programs that act for a user. `server` is Belfry itself. */
export const auditActorKinds = ['user', 'key', 'agent', 'command', 'server'] as const
export type AuditActorKind = (typeof auditActorKinds)[number]

/** The kinds of objects, as the API calls them. An action begins with its kind of object: `monitor.paused`. */
export const auditObjects = [
  'website',
  'monitor',
  'provider',
  'assignment',
  'maintenance',
  'status_page',
  'post',
  'post_template',
  'incident',
  'api_key',
  'team',
  'member',
  'invitation',
  'user',
] as const
export type AuditObject = (typeof auditObjects)[number]

/** How long entries are kept. */
export const AUDIT_RETENTION_DAYS = 400

/** Pages reach this many of the newest matching entries. CSV has all of them. */
export const MAX_LISTED_AUDIT_ENTRIES = 10_000
