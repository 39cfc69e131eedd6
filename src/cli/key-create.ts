import { createKey } from '../keys/keys.ts'
import { systemClock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import { type Scope, scopes } from '../shared/scopes.ts'
import { type Command, type Invocation, UsageError } from './command.ts'
import { getUserByEmail } from './find-user.ts'
import { asUser } from './store.ts'
import { withDatabase } from './with-database.ts'

function textOption({ options }: Invocation, name: string): string {
  const value = options[name]
  if (typeof value !== 'string') throw new UsageError(`--${name} is missing.`)
  return value.trim()
}

function scopesOf(text: string): Scope[] {
  if (text === 'all') return [...scopes]
  const wanted = text.split(',').map((part) => part.trim())
  const unknown = wanted.filter((name) => !scopes.includes(name as Scope))
  if (unknown.length > 0) {
    throw new Problem(
      'validation_failed',
      `There is no scope ${unknown.map((name) => `"${name}"`).join(', ')}. Known are: ${scopes.join(', ')}; or all.`,
    )
  }
  return [...new Set(wanted as Scope[])]
}

export const keyCreate: Command = {
  name: 'key create',
  summary: 'make an API key',
  usage: 'key create --user <email> --name <name> --scopes <a,b|all>',
  details: `  Scopes: ${scopes.join(', ')}.\n  The key is printed here and never again.`,
  options: { user: { type: 'string' }, name: { type: 'string' }, scopes: { type: 'string' } },
  async run(invocation) {
    const email = textOption(invocation, 'user')
    const input = { name: textOption(invocation, 'name'), scopes: scopesOf(textOption(invocation, 'scopes')) }
    const { requireValidKey } = await import('./validate.ts')
    requireValidKey(input)
    const { user, row } = await withDatabase(invocation, async (db) => {
      const user = await getUserByEmail(db, email)
      const maker = { kind: 'session', userId: user.id, keyId: null, scopes } as const
      return { user, row: await asUser(db, user.id, (q) => createKey(q, maker, input, systemClock)) }
    })
    invocation.out(row.key)
    invocation.note(
      `Made key ${row.id} "${row.name}" of ${user.email} with ${row.scopes.join(', ')}. It is shown here and never again.`,
    )
    return 0
  },
}
