import { scopes } from '../shared/scopes.ts'
import { listMissingScopes } from '../storage/caller.ts'
import type { Command } from './common/command.ts'
import { formatTable, formatTime } from './common/table.ts'
import { withDatabase } from './common/with-database.ts'
import { getUserByEmail } from './find-user.ts'
import { listKeysOfUsers } from './store.ts'

export const keyList: Command = {
  name: 'key list',
  summary: 'list API keys, newest first',
  usage: 'key list [--user <email>] [--json]',
  options: { user: { type: 'string' }, json: { type: 'boolean' } },
  async run(invocation) {
    const email = invocation.options['user']
    const keys = await withDatabase(invocation, async (db) => {
      const user = typeof email === 'string' ? await getUserByEmail(db, email.trim()) : undefined
      return listKeysOfUsers(db, user?.id ?? null)
    })
    if (invocation.options['json']) {
      invocation.out(JSON.stringify(keys, null, 2))
      return 0
    }
    if (keys.length === 0) {
      invocation.out('No API keys.')
      return 0
    }
    const hasExpiry = keys.some((key) => key.expires_at !== undefined)
    const hasAddresses = keys.some((key) => key.allowed_ips !== undefined)
    const rows = keys.map((key) => [
      String(key.id),
      key.email,
      key.team_name,
      key.name,
      key.prefix,
      key.created_by_key === null ? '-' : String(key.created_by_key),
      formatTime(key.created_at),
      formatTime(key.last_used_at),
      ...(hasExpiry ? [formatTime(key.expires_at ?? null)] : []),
      ...(hasAddresses ? [key.allowed_ips?.join(',') ?? '-'] : []),
      listMissingScopes(key.scopes, scopes).length === 0 ? 'all' : key.scopes.join(','),
    ])
    const limits = [...(hasExpiry ? ['EXPIRES'] : []), ...(hasAddresses ? ['ALLOWED IPS'] : [])]
    const head = ['ID', 'USER', 'TEAM', 'NAME', 'PREFIX', 'CREATED BY', 'CREATED', 'LAST USED', ...limits, 'SCOPES']
    invocation.out(formatTable(head, rows))
    return 0
  },
}
