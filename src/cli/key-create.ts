import { createKey } from '../keys/keys.ts'
import { systemClock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import { type Scope, scopes } from '../shared/scopes.ts'
import { type Command, type Invocation, UsageError } from './common/command.ts'
import { withDatabase } from './common/with-database.ts'
import { getTeamOfUser } from './find-team.ts'
import { getUserByEmail } from './find-user.ts'
import { asMember } from './store.ts'

function readTextOption({ options }: Invocation, name: string): string {
  const value = options[name]
  if (typeof value !== 'string') throw new UsageError(`Missing option: --${name}`)
  return value.trim()
}

function parseScopes(text: string): Scope[] {
  if (text === 'all') return [...scopes]
  const names = text.split(',').map((part) => part.trim())
  const unknownNames = names.filter((name) => !scopes.includes(name as Scope))
  if (unknownNames.length > 0) {
    throw new Problem(
      'validation_failed',
      `Unknown scope: ${unknownNames.join(', ')}. Use ${scopes.join(', ')}, or all.`,
    )
  }
  return [...new Set(names as Scope[])]
}

/** A date without a time means the beginning of the day. The schema of the API checks the value. */
const toExpiry = (text: string) => (/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text)

export const keyCreate: Command = {
  name: 'key create',
  summary: 'create an API key',
  usage:
    'key create --user <email> --name <name> --scopes <a,b|all> [--team <id or name>] [--expires <date>] [--allow-ip <cidr> ...]',
  details: [
    `  Scopes: ${scopes.join(', ')}.`,
    '',
    '  --team      the team of the user in which the key acts; default: their own team, or their only one',
    '  --expires   when the key stops working: a date (00:00 UTC) or a time such as 2030-01-31T18:00:00Z',
    '  --allow-ip  an IP address or network from which the key can be used; can be repeated',
    '',
    "  The key is printed once and can't be shown again.",
  ].join('\n'),
  options: {
    user: { type: 'string' },
    name: { type: 'string' },
    scopes: { type: 'string' },
    team: { type: 'string' },
    expires: { type: 'string' },
    'allow-ip': { type: 'string', multiple: true },
  },
  async run(invocation) {
    const email = readTextOption(invocation, 'user')
    const { team: idOrName, expires, 'allow-ip': addresses } = invocation.options
    const input = {
      name: readTextOption(invocation, 'name'),
      scopes: parseScopes(readTextOption(invocation, 'scopes')),
      ...(typeof expires === 'string' && { expires_at: toExpiry(expires.trim()) }),
      ...(Array.isArray(addresses) && { allowed_ips: addresses }),
    }
    const { requireValidKey } = await import('./validate.ts')
    requireValidKey(input)
    const { user, team, row } = await withDatabase(invocation, async (db) => {
      const user = await getUserByEmail(db, email)
      const team = await getTeamOfUser(db, user, typeof idOrName === 'string' ? idOrName.trim() : undefined)
      const creator = { kind: 'session', teamId: team.id, userId: user.id, keyId: null, scopes } as const
      return { user, team, row: await asMember(db, creator, (q) => createKey(q, creator, input, systemClock)) }
    })
    invocation.out(row.key)
    invocation.note(
      `Created key ${row.id} "${row.name}" for ${user.email} with ${row.scopes.join(', ')}, in the team ${JSON.stringify(team.name)}. It can't be shown again.`,
    )
    return 0
  },
}
