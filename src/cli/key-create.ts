import { createKey } from '../keys/keys.ts'
import { systemClock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import { type Scope, scopes } from '../shared/scopes.ts'
import { type Command, type Invocation, UsageError } from './common/command.ts'
import { withDatabase } from './common/with-database.ts'
import { getUserByEmail } from './find-user.ts'
import { asUser } from './store.ts'

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

export const keyCreate: Command = {
  name: 'key create',
  summary: 'create an API key',
  usage: 'key create --user <email> --name <name> --scopes <a,b|all>',
  details: `  Scopes: ${scopes.join(', ')}.\n  The key is printed once and can't be shown again.`,
  options: { user: { type: 'string' }, name: { type: 'string' }, scopes: { type: 'string' } },
  async run(invocation) {
    const email = readTextOption(invocation, 'user')
    const input = {
      name: readTextOption(invocation, 'name'),
      scopes: parseScopes(readTextOption(invocation, 'scopes')),
    }
    const { requireValidKey } = await import('./validate.ts')
    requireValidKey(input)
    const { user, row } = await withDatabase(invocation, async (db) => {
      const user = await getUserByEmail(db, email)
      const creator = { kind: 'session', teamId: user.id, userId: user.id, keyId: null, scopes } as const
      return { user, row: await asUser(db, user.id, (q) => createKey(q, creator, input, systemClock)) }
    })
    invocation.out(row.key)
    invocation.note(
      `Created key ${row.id} "${row.name}" for ${user.email} with ${row.scopes.join(', ')}. It can't be shown again.`,
    )
    return 0
  },
}
