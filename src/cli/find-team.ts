import { Problem } from '../lib/problem.ts'
import type { Queries } from '../storage/transaction.ts'
import { type Invocation, UsageError } from './common/command.ts'
import { findTeamName } from './store.ts'

/** Returns the `<team id>` argument. */
export function getTeamArgument({ positionals: [text] }: Invocation): number {
  if (text === undefined || !/^[1-9]\d{0,15}$/.test(text)) {
    throw new UsageError('Missing argument: <team id>. Run `team list` to see the ids.')
  }
  return Number(text)
}

export async function getTeamName(q: Queries, id: number): Promise<string> {
  const name = await findTeamName(q, id)
  if (name === undefined) throw new Problem('not_found', `There is no team ${id}. Run \`team list\` to see all teams.`)
  return name
}
