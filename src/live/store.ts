/** SQL of what has just changed, for everybody who listens at once. What each of them asked for, they were found to own. */

import { monitorsWithState } from '../monitors/store.ts'
import type { MonitorStatus } from '../shared/monitors.ts'
import { OWN_ROWS } from '../storage/statements.ts'
import type { Queries } from '../storage/client.ts'
import type { Row, Statement } from '../storage/batch.ts'
import type { LiveMonitor } from './schema.ts'

/** Somebody's thing. */
export interface Owned {
  userId: number
  id: number
}

/** Which status a monitor has, and since when: as a word, by monitor. */
export type Statuses = Map<number, string>

/** As two texts: in a storm there are thousands, and all but the latest are known. */
const statuses = `array_agg(m.id)::text as monitors,
  array_agg(m.status || '@' || date_part('epoch', m.status_changed_at))::text as words`

function statusesIn({ monitors, words }: Row): Statuses {
  if (monitors === null) return new Map()
  const known: string[] = words.slice(1, -1).split(',')
  const ids: string[] = monitors.slice(1, -1).split(',')
  return new Map(ids.map((id, index) => [Number(id), known[index] as string]))
}

/** Another sum as soon as something is counted. */
const sum = 'coalesce(sum(d.visitors::bigint + d.views + d.visits + d.events + d.duration_ms), 0)::float8'

/** Of today by any clock, and of what comes a little late. */
const recent = (now: Date) => new Date(now.getTime() - 2 * 86_400_000).toISOString().slice(0, 10)

const recordColumns = `m.id, m.user_id, m.status, m.status_changed_at, s.last_checked_at, s.last_response_ms, s.last_error`

export interface StateRow {
  id: number
  user_id: number
  status: MonitorStatus
  status_changed_at: Date
  last_checked_at: Date | null
  last_response_ms: number | null
  last_error: string | null
}

export function liveMonitorOf(row: StateRow): LiveMonitor {
  return {
    id: row.id,
    status: row.status,
    status_changed_at: row.status_changed_at.toISOString(),
    last_checked_at: row.last_checked_at?.toISOString() ?? null,
    last_response_ms: row.last_response_ms,
    last_error: row.last_error,
  }
}

export interface Beginning {
  statuses: Statuses
  /** Of the monitor; undefined where it is not there, or not theirs. */
  state: Pick<StateRow, 'last_checked_at'> | undefined
}

/** What is so before anything changes, as the caller sees it. */
export async function readBeginning(q: Queries, since: Date, monitorId: number | undefined): Promise<Beginning> {
  const [recent, monitor] = await q.batch(
    { text: `select ${statuses} from monitors m where m.${OWN_ROWS} and m.status_changed_at >= $1`, values: [since] },
    { text: `select s.last_checked_at from ${monitorsWithState} where m.${OWN_ROWS} and m.id = $1`, values: [monitorId ?? null] },
  )
  return { statuses: statusesIn(recent?.rows[0] as Row), state: monitor?.rows[0] as Beginning['state'] }
}

/** And of a website whose statistics are open. */
export async function readCounted(q: Queries, websiteId: number, now: Date): Promise<number> {
  const [row] = await q.query<{ counted: number }>(
    `select ${sum} as counted from traffic_days d where d.website_id = $1 and d.day >= $2`,
    [websiteId, recent(now)],
  )
  return row?.counted ?? 0
}

export interface Question {
  now: Date
  sessions: readonly number[]
  users: readonly { userId: number; since: Date }[]
  monitors: readonly Owned[]
  websites: readonly Owned[]
}

export interface Found {
  /** Those that have not ended. */
  sessions: Set<number>
  /** By user. */
  statuses: Map<number, Statuses>
  states: StateRow[]
  /** By website: another number as soon as something was counted. */
  counted: Map<number, number>
}

const userIds = (owned: readonly { userId: number }[]) => owned.map(({ userId }) => userId)
const ids = (owned: readonly Owned[]) => owned.map(({ id }) => id)

const statesOf = (monitors: readonly Owned[]): Statement => ({
  text: `select ${recordColumns} from unnest($1::bigint[], $2::bigint[]) as g (user_id, id)
    join (${monitorsWithState}) on m.user_id = g.user_id and m.id = g.id`,
  values: [userIds(monitors), ids(monitors)],
})

/** In one round trip, however many listen. */
export async function readChanges(q: Queries, { now, sessions, users, monitors, websites }: Question): Promise<Found> {
  const [alive, changed, states, traffic] = await q.batch(
    { text: 'select id from sessions where id = any ($1) and expires_at > $2', values: [sessions, now] },
    {
      text: `select g.user_id, ${statuses} from unnest($1::bigint[], $2::timestamptz[]) as g (user_id, since)
        join monitors m on m.user_id = g.user_id and m.status_changed_at >= g.since group by g.user_id`,
      values: [userIds(users), users.map(({ since }) => since)],
    },
    statesOf(monitors),
    {
      text: `select w.id, (select ${sum} from traffic_days d where d.website_id = w.id and d.day >= $3) as counted
          from unnest($1::bigint[], $2::bigint[]) as g (user_id, id) join websites w on w.user_id = g.user_id and w.id = g.id`,
      values: [userIds(websites), ids(websites), recent(now)],
    },
  )
  return {
    sessions: new Set(alive?.rows.map((row) => row['id'])),
    statuses: new Map(changed?.rows.map((row) => [row['user_id'], statusesIn(row)])),
    states: (states?.rows ?? []) as StateRow[],
    counted: new Map(traffic?.rows.map((row) => [row['id'], row['counted']])),
  }
}

export async function readStates(q: Queries, monitors: readonly Owned[]): Promise<StateRow[]> {
  return (await q.batch(statesOf(monitors)))[0]?.rows as StateRow[]
}

/** Who is there now: by user, and by website of theirs that has anybody. */
export async function readVisitors(
  q: Queries,
  users: readonly number[],
  since: Date,
): Promise<Map<number, Map<number, number>>> {
  const rows = await q.query<{ user_id: number; id: number; count: number }>(
    `select w.user_id, w.id, now.count from websites w, lateral (
       select count(distinct e.visit_id) as count from events e where e.website_id = w.id and e.at > $2
     ) now where w.user_id = any ($1) and now.count > 0`,
    [users, since],
  )
  const byUser = new Map<number, Map<number, number>>()
  for (const { user_id, id, count } of rows) byUser.getOrInsertComputed(user_id, () => new Map()).set(id, count)
  return byUser
}
