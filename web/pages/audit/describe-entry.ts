/** Says in a sentence what somebody changed: "paused the monitor Shop". */
import type { AuditRecord } from '../../../src/audit/schema.ts'
import type { AuditActorKind, AuditObject } from '../../../src/shared/audit.ts'
import { roleLabels } from '../../lib/role-labels.ts'

export const auditObjectNames: Record<AuditObject, string> = {
  website: 'website',
  monitor: 'monitor',
  provider: 'notification channel',
  assignment: 'notifications of',
  maintenance: 'maintenance',
  status_page: 'status page',
  post: 'status post',
  post_template: 'post template',
  incident: 'incident',
  api_key: 'API key',
  team: 'team',
  member: 'member',
  invitation: 'invitation',
  user: 'account',
}

type Entry = Pick<AuditRecord, 'action' | 'object' | 'object_name' | 'actor' | 'before' | 'after'>

/** The parts of a sentence. The name of the object is set apart in bold, and can be a link. */
export interface EntrySentence {
  actor: string
  verb: string
  name: string
  end: string
}

const verbs: Record<string, string> = {
  created: 'added',
  changed: 'changed',
  deleted: 'deleted',
  paused: 'paused',
  resumed: 'resumed',
  renamed: 'renamed',
  moved: 'moved',
  revoked: 'revoked',
  acknowledged: 'acknowledged',
}

/** Actions whose sentence isn't "<verb> the <object> <name>". `name` is where the name of the object belongs. */
const sentences: Record<string, (entry: Entry) => [string, string, string]> = {
  'assignment.created': ({ object_name }) => ['added a notification:', object_name ?? '', ''],
  'assignment.changed': ({ object_name }) => ['changed a notification:', object_name ?? '', ''],
  'assignment.deleted': ({ object_name }) => ['removed a notification:', object_name ?? '', ''],
  'incident.acknowledged': ({ object_name }) => ['acknowledged an incident of', object_name ?? '', ''],
  'incident.acknowledgement_removed': ({ object_name }) => ['removed the acknowledgement of', object_name ?? '', ''],
  'incident.note_added': ({ object_name }) => ['added a note to an incident of', object_name ?? '', ''],
  'incident.note_deleted': ({ object_name }) => ['deleted a note about an incident of', object_name ?? '', ''],
  'status_page.subscriber_removed': ({ object_name }) => ['removed a subscriber of', object_name ?? '', ''],
  'post.update_added': ({ object_name }) => ['published an update of the status post', object_name ?? '', ''],
  'post.update_changed': ({ object_name }) => ['corrected an update of the status post', object_name ?? '', ''],
  'post.update_deleted': ({ object_name }) => ['deleted an update of the status post', object_name ?? '', ''],
  'team.created': ({ object_name }) => ['created the team', object_name ?? '', ''],
  'team.renamed': ({ before, object_name }) => [`renamed the team ${before?.['name'] ?? ''} to`, object_name ?? '', ''],
  'api_key.created': ({ object_name }) => ['created the API key', object_name ?? '', ''],
  'invitation.created': ({ object_name, after }) => ['invited', object_name ?? '', toRoleSuffix(after)],
  'invitation.changed': ({ object_name, after }) => ['invited', object_name ?? '', `${toRoleSuffix(after)} again`],
  'invitation.revoked': ({ object_name }) => ['revoked the invitation of', object_name ?? '', ''],
  'invitation.accepted': (entry) => ['accepted the invitation', nameUnlessActor(entry), ''],
  // The role map of single sign-on adds people, too.
  'member.joined': ({ actor, object_name, after }) =>
    actor.name === object_name
      ? ['joined the team', '', toRoleSuffix(after)]
      : ['added', object_name ?? '', `to the team ${toRoleSuffix(after)}`.trim()],
  'member.left': (entry) => ['left the team', nameUnlessActor(entry), ''],
  'member.removed': ({ object_name }) => ['removed', object_name ?? '', 'from the team'],
  'member.role_changed': ({ object_name, before, after }) => [
    'changed the role of',
    object_name ?? '',
    after?.['role'] === undefined ? '' : `from ${toRole(before)} to ${toRole(after)}`,
  ],
  'member.changed': ({ object_name }) => ['changed what is shared with', object_name ?? '', ''],
  'user.email_changed': ({ before, after }) => [
    `changed the address ${before?.['email'] ?? ''} to`,
    `${after?.['email'] ?? ''}`,
    '',
  ],
  'user.password_changed': (entry) => ['changed the password', nameUnlessActor(entry, 'of '), ''],
  'user.password_reset': (entry) => ['reset the password', nameUnlessActor(entry, 'of '), ''],
  'user.second_factor_added': (entry) => ['set up an authenticator app', nameUnlessActor(entry, 'for '), ''],
  'user.second_factor_removed': (entry) => ['removed the authenticator app', nameUnlessActor(entry, 'of '), ''],
  'user.passkey_added': (entry) => ['added a passkey', nameUnlessActor(entry, 'for '), ''],
  'user.passkey_removed': (entry) => ['removed a passkey', nameUnlessActor(entry, 'of '), ''],
  'user.recovery_codes_renewed': (entry) => ['created new recovery codes', nameUnlessActor(entry, 'for '), ''],
  'user.single_sign_on_linked': (entry) => ['linked single sign-on', nameUnlessActor(entry, 'to '), ''],
  'user.single_sign_on_unlinked': (entry) => ['unlinked single sign-on', nameUnlessActor(entry, 'from '), ''],
}

type Fields = Entry['after']

const toRole = (fields: Fields) => (roleLabels[fields?.['role'] as keyof typeof roleLabels] ?? '?').toLowerCase()
const toRoleSuffix = (fields: Fields) => (fields?.['role'] === undefined ? '' : `as ${toRole(fields)}`)

/** People who change their own account or membership needn't be named twice. */
const nameUnlessActor = ({ actor, object_name }: Entry, preposition = '') =>
  actor.name === object_name || object_name === null ? '' : `${preposition}${object_name}`

const actorPrefixes: Record<AuditActorKind, string> = {
  user: '',
  key: 'API key ',
  agent: 'Agent ',
  command: 'Command ',
  server: '',
}

export function describeEntry(entry: Entry): EntrySentence {
  const { action, actor, object, object_name } = entry
  const actorName = actor.kind === 'server' ? 'Belfry' : `${actorPrefixes[actor.kind]}${actor.name}`
  const special = sentences[action]?.(entry)
  if (special !== undefined) {
    const [verb, name, end] = special
    return { actor: actorName, verb, name, end }
  }
  const verb = action.slice(object.length + 1)
  const words = verbs[verb] ?? verb.replaceAll('_', ' ')
  return { actor: actorName, verb: `${words} the ${auditObjectNames[object]}`, name: object_name ?? '', end: '' }
}

/** The page of the object, if it has one. A deleted object has none. */
export function findObjectPath({ action, object, object_id, object_name }: AuditRecord): string | undefined {
  if (object_id === null || action.endsWith('.deleted') || action.endsWith('.moved')) return undefined
  switch (object) {
    case 'monitor':
    case 'assignment':
      return `/monitors/${object_id}`
    case 'website':
      return object_name === null ? undefined : `/${object_name}`
    case 'provider':
      return `/notification-channels/${object_id}`
    case 'incident':
      return `/incidents/${object_id}`
    case 'maintenance':
      return `/maintenance/${object_id}`
    case 'status_page':
      return `/status-pages/${object_id}`
    case 'member':
    case 'invitation':
    case 'team':
      return '/team'
    case 'api_key':
      return '/keys'
    default:
      return undefined
  }
}

export interface FieldChange {
  name: string
  before: string | undefined
  after: string | undefined
}

/** The changed fields, with their values as text. A new object has no old values, and a deleted one no new values. */
export function listChanges({ before, after }: Pick<Entry, 'before' | 'after'>): FieldChange[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return names.map((name) => ({
    name: toFieldName(name),
    before: before === null ? undefined : toText(before[name]),
    after: after === null ? undefined : toText(after[name]),
  }))
}

const fieldNames: Record<string, string> = {
  friendly_name: 'Name',
  is_active: 'Active',
  url: 'URL',
  domain: 'Domain',
  remind_every: 'Remind every',
  provider_type: 'Type',
  assign_by_default: 'Default for new monitors',
  exclude_ips: 'Excluded IPs',
  exclude_params: 'Ignored URL parameters',
  group_alerts: 'Combine alerts',
  provider_id: 'Notification channel',
  monitor_id: 'Monitor',
  monitor_ids: 'Monitors',
  website_ids: 'Websites',
  status_page_ids: 'Status pages',
  allowed_ips: 'Allowed IP addresses',
}

/** "Retry interval" for `retry_interval`, and "Http: verify tls" for `http.verify_tls`. */
function toFieldName(name: string): string {
  const known = fieldNames[name]
  if (known !== undefined) return known
  const words = name.replaceAll('_', ' ').replaceAll('.', ': ')
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

function toText(value: unknown): string {
  if (value === undefined || value === null || value === '') return '–'
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ') || '–'
  return typeof value === 'object' ? JSON.stringify(value, null, 1) : `${value}`
}
