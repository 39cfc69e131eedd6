import type { UserRow } from '../accounts/store.ts'
import { Problem } from '../lib/problem.ts'
import type { Queries } from '../storage/transaction.ts'
import { type Invocation, UsageError } from './common/command.ts'
import { formatTable } from './common/table.ts'
import { findTeamName, listTeamsOfUser, type UserTeamRow } from './store.ts'

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

/** Finds a team of the user by its id or name. The default is their own team, or their only one. */
export async function getTeamOfUser(q: Queries, user: UserRow, idOrName: string | undefined): Promise<UserTeamRow> {
  const teams = await listTeamsOfUser(q, user.id)
  if (idOrName === undefined) {
    const team = teams.find(({ id }) => id === user.id) ?? (teams.length === 1 ? teams[0] : undefined)
    if (team !== undefined) return team
    throw chooseTeamProblem(`${user.email} no longer has a team of their own.`, teams)
  }
  const teamWithId = teams.find(({ id }) => String(id) === idOrName)
  if (teamWithId !== undefined) return teamWithId
  const [teamWithName, ...others] = teams.filter(({ name }) => name.toLowerCase() === idOrName.toLowerCase())
  if (teamWithName === undefined) throw chooseTeamProblem(`${user.email} is not in a team "${idOrName}".`, teams)
  if (others.length === 0) return teamWithName
  throw chooseTeamProblem(`${user.email} is in several teams called "${idOrName}".`, [teamWithName, ...others])
}

function chooseTeamProblem(reason: string, teams: readonly UserTeamRow[]): Problem {
  const rows = teams.map(({ id, name }) => [String(id), name])
  return new Problem('validation_failed', `${reason} Choose a team with --team:\n${formatTable(['ID', 'NAME'], rows)}`)
}
