/** SQL for moving websites and monitors to another team. The functions in migrations/access/5_moves.sql say what comes along. */
import pg from 'pg'
import { unavailable } from '../lib/problem.ts'
import type { Queries } from '../storage/transaction.ts'

export interface MovableMonitor {
  is_sample: boolean
  /** The website whose traffic alerts the monitor sends. */
  website_id: number | null
  http_headers: Buffer | null
  beat_token: Buffer | null
}

export async function findMovableMonitor(q: Queries, id: number): Promise<MovableMonitor | undefined> {
  const [row] = await q.query<MovableMonitor & Record<string, unknown>>(
    `select sample_website_id is not null as is_sample, website_id, http_headers, beat_token
       from monitors where user_id = own_team() and id = $1`,
    [id],
  )
  return row
}

export async function findMovableWebsite(q: Queries, id: number): Promise<{ is_sample: boolean } | undefined> {
  const [row] = await q.query<{ is_sample: boolean }>(
    'select is_sample from websites where user_id = own_team() and id = $1',
    [id],
  )
  return row
}

/** Whether the caller may move things from their team to the other one. */
export async function managesBothTeams(q: Queries, targetTeamId: number): Promise<boolean> {
  const [row] = await q.query<{ manages: boolean }>('select manages_both($1) as manages', [targetTeamId])
  return row?.manages === true
}

export async function moveMonitorRows(
  q: Queries,
  id: number,
  targetTeamId: number,
  { headers, beatToken }: { headers: Buffer | null; beatToken: Buffer | null },
): Promise<void> {
  await explainRunningRollup(q.query('select move_monitor($1, $2, $3, $4)', [id, targetTeamId, headers, beatToken]))
}

export async function moveWebsiteRows(q: Queries, id: number, targetTeamId: number): Promise<void> {
  await explainRunningRollup(q.query('select move_website($1, $2)', [id, targetTeamId]))
}

const OBJECT_IN_USE = '55006'

async function explainRunningRollup(change: Promise<unknown>): Promise<void> {
  try {
    await change
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === OBJECT_IN_USE)) throw error
    throw unavailable('Check results are being summarized. Try again in a few seconds.', error)
  }
}
