/** SQL of visits, while they go on. */
import { numbersLiteral, textsLiteral } from '../../storage/array-literal.ts'
import type { Statement } from '../../storage/batch.ts'
import type { Queries } from '../../storage/client.ts'
import { type VisitorDimension, visitorDimensions } from '../model/dimensions.ts'
import { type VisitorDay, visitorDayKey } from './visitor-days.ts'
import type { VisitRecord } from './visits.ts'

interface VisitRow extends Record<VisitorDimension, number | null> {
  website_id: number
  day: string
  visitor: number
  id: number
  started_at: number
  last_at: number
  views: number
  actions: number
  hours: number
  landing_page: number | null
  exit_page: number | null
  referrer: number | null
  source: number | null
  campaign: number | null
}

const numbered = ['landing_page', 'exit_page', 'referrer', 'source', 'campaign', ...visitorDimensions] as const
const plain = ['views', 'actions', 'hours'] as const

/** Fills in what visitors did earlier on the same day. */
export async function loadVisits(q: Queries, groups: readonly VisitorDay[]): Promise<void> {
  const rows = await q.query<VisitRow>(
    `select v.website_id, v.day::text as day, v.visitor, v.id, (extract(epoch from v.started_at) * 1000)::bigint as started_at,
            (extract(epoch from v.last_at) * 1000)::bigint as last_at, ${[...plain, ...numbered].join(', ')}
       from unnest($1::bigint[], $2::date[], $3::bigint[]) as asked (website_id, day, visitor)
       join visits v using (website_id, day, visitor)`,
    [
      numbersLiteral(groups.map(({ websiteId }) => websiteId)),
      textsLiteral(groups.map(({ day }) => day)),
      numbersLiteral(groups.map(({ visitor }) => visitor)),
    ],
  )
  if (rows.length === 0) return
  const byKey = new Map(groups.map((group) => [visitorDayKey(group), group]))
  for (const row of rows) {
    const { website_id: websiteId, day, visitor } = row
    byKey.get(visitorDayKey({ websiteId, day, visitor }))?.visits.push(visitOf(row))
  }
  // Ids grow with time.
  for (const { visits } of groups) if (visits.length > 1) visits.sort((one, other) => one.id - other.id)
}

function visitOf(row: VisitRow): VisitRecord {
  const { id, started_at: startedAt, last_at: lastAt, views, actions, hours } = row
  return {
    id,
    startedAt,
    lastAt,
    views,
    actions,
    hours,
    landing_page: row.landing_page ?? 0,
    exit_page: row.exit_page ?? 0,
    referrer: row.referrer ?? 0,
    source: row.source ?? 0,
    campaign: row.campaign ?? 0,
    country: row.country ?? 0,
    region: row.region ?? 0,
    city: row.city ?? 0,
    language: row.language ?? 0,
    browser: row.browser ?? 0,
    os: row.os ?? 0,
    device: row.device ?? 0,
    resolution: row.resolution ?? 0,
  }
}

export async function reserveVisitIds(q: Queries, count: number): Promise<number[]> {
  const rows = await q.query<{ id: number }>(`select nextval('visit_ids') as id from generate_series(1, $1)`, [count])
  return rows.map(({ id }) => id)
}

const seconds = (ms: number) => ms / 1000
/** 0 is not known. */
export const idOrNull = (number: number) => (number === 0 ? null : number)

export function upsertVisits(groups: readonly VisitorDay[]): Statement {
  const all = groups.flatMap(({ websiteId, day, visitor, visits }) =>
    visits.map((visit) => ({ websiteId, day, visitor, visit })),
  )
  const column = (pick: (visit: VisitRecord) => number | null) => numbersLiteral(all.map(({ visit }) => pick(visit)))
  const names = [...plain, ...numbered]
  return {
    text: `insert into visits (website_id, day, visitor, id, started_at, last_at, ${names.join(', ')})
      select website_id, day, visitor, id, to_timestamp(started_at), to_timestamp(last_at), ${names.join(', ')}
        from unnest($1::bigint[], $2::date[], $3::bigint[], $4::bigint[], $5::float8[], $6::float8[],
                    ${names.map((_, index) => `$${index + 7}::integer[]`).join(', ')})
             as v (website_id, day, visitor, id, started_at, last_at, ${names.join(', ')})
      on conflict (website_id, day, visitor, id) do update set last_at = excluded.last_at, views = excluded.views,
        actions = excluded.actions, hours = excluded.hours, landing_page = excluded.landing_page,
        exit_page = excluded.exit_page`,
    values: [
      numbersLiteral(all.map(({ websiteId }) => websiteId)),
      textsLiteral(all.map(({ day }) => day)),
      numbersLiteral(all.map(({ visitor }) => visitor)),
      column(({ id }) => id),
      column(({ startedAt }) => seconds(startedAt)),
      column(({ lastAt }) => seconds(lastAt)),
      ...plain.map((name) => column((visit) => visit[name])),
      ...numbered.map((name) => column((visit) => idOrNull(visit[name]))),
    ],
  }
}
