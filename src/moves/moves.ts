/** Moves websites and monitors, with their history, to another team. Call these functions in a transaction. */
import { invalid, notFound, Problem } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import type { SessionCaller } from '../storage/caller.ts'
import type { Database } from '../storage/database.ts'
import type { Queries } from '../storage/transaction.ts'
import { findMovableMonitor, findMovableWebsite, managesBothTeams, moveMonitorRows, moveWebsiteRows } from './store.ts'

export interface TeamMove {
  id: number
  from: number
  to: number
}

export async function moveWebsite(q: Queries, { id, from, to }: TeamMove): Promise<void> {
  const website = await findMovableWebsite(q, id)
  if (website === undefined) throw notFound()
  if (website.is_sample) throw new Problem('conflict', "The sample website can't be moved.")
  await requireOtherTeam(q, from, to)
  await moveWebsiteRows(q, id, to)
}

export async function moveMonitor(q: Queries, { id, from, to }: TeamMove, secret: Secret): Promise<void> {
  const monitor = await findMovableMonitor(q, id)
  if (monitor === undefined) throw notFound()
  if (monitor.is_sample) throw new Problem('conflict', "The sample monitor can't be moved.")
  if (monitor.website_id !== null) {
    throw new Problem('conflict', 'This monitor belongs to the traffic alerts of a website. Move the website.')
  }
  await requireOtherTeam(q, from, to)
  const { http_headers: headers, beat_token: beatToken } = monitor
  await moveMonitorRows(q, id, to, {
    headers: headers && secret.reseal('monitor headers', { from, to }, headers),
    beatToken: beatToken && secret.reseal('beat token', { from, to }, beatToken),
  })
}

/**
 * The other team may require a second factor that this session has not proved. Whether the caller may move anything there is checked in the
 * transaction.
 */
export async function requireStrongSession(db: Database, caller: SessionCaller, to: number): Promise<void> {
  try {
    await db.inTeam(caller, to, 'read').batch()
  } catch (error) {
    if (!(error instanceof Problem) || error.code === 'second_factor_required') throw error
  }
}

/** Without enough rights in the other team, the response is the same as for a team that doesn't exist. */
async function requireOtherTeam(q: Queries, from: number, to: number): Promise<void> {
  if (to === from) throw invalid({ team_id: ['`team_id` is already the team.'] })
  if (await managesBothTeams(q, to)) return
  throw invalid({ team_id: ['`team_id` must be a team of which you are an owner or admin.'] })
}
