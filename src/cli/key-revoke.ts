import { deleteKey } from '../keys/keys.ts'
import type { DescendantsChoice } from '../keys/schema.ts'
import { Problem } from '../lib/problem.ts'
import { scopes } from '../shared/scopes.ts'
import { type Command, type Invocation, UsageError } from './common/command.ts'
import { withDatabase } from './common/with-database.ts'
import { asTeam, findKeyTeam } from './store.ts'

/** The caller for `deleteKey`: like a session, the operator has every scope and can revoke any key. */
const operator = { kind: 'session', teamId: 0, userId: 0, keyId: null, scopes } as const

function readIdArgument({ positionals: [text] }: Invocation): number {
  if (text === undefined || !/^[1-9]\d{0,15}$/.test(text)) {
    throw new UsageError('Missing argument: <id>. Run `key list` to see the ids.')
  }
  return Number(text)
}

function readDescendantsOption({ options: { descendants } }: Invocation): DescendantsChoice | undefined {
  if (descendants === undefined || descendants === 'revoke' || descendants === 'keep') return descendants
  throw new UsageError('--descendants must be revoke or keep.')
}

export const keyRevoke: Command = {
  name: 'key revoke',
  summary: 'revoke an API key immediately',
  usage: 'key revoke <id> [--descendants revoke|keep]',
  details: '  Also revokes the keys that this key created, unless you add --descendants keep.',
  options: { descendants: { type: 'string' } },
  maxArguments: 1,
  async run(invocation) {
    const id = readIdArgument(invocation)
    const descendants = readDescendantsOption(invocation)
    const key = await withDatabase(invocation, async (db) => {
      const teamId = await findKeyTeam(db, id)
      if (teamId === undefined) throw new Problem('not_found', `There is no key ${id}.`)
      return asTeam(db, teamId, (q) => deleteKey(q, operator, id, descendants))
    })
    invocation.out(`Revoked key ${id} "${key.name}".`)
    return 0
  },
}
