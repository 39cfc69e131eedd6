/** SQL of packing: the counts of a day that is over become one row. */
import type { Queries } from '../../storage/client.ts'
import { type Dimension, dimensions } from '../dimensions.ts'

export interface SiteDay {
  websiteId: number
  day: string
}

export interface UnpackedDay {
  packed: Record<Dimension, string | null>
  counts: { dimension: number; value: number; count: number }[]
}

const names = Object.keys(dimensions) as Dimension[]

/** Oldest first, those behind the last one that was found. */
export async function findUnpacked(q: Queries, after: SiteDay, before: string, most: number): Promise<SiteDay[]> {
  return q.query<SiteDay>(
    `select website_id as "websiteId", day::text as day from traffic_days
      where not is_packed and (day, website_id) > ($1, $2) and day < $3 order by traffic_days.day, website_id limit $4`,
    [after.day, after.websiteId, before, most],
  )
}

const where = 'website_id = $1 and dimension = any ($3) and day = $2'

export async function readUnpacked(q: Queries, { websiteId, day }: SiteDay): Promise<UnpackedDay> {
  const [packed, counts] = await q.flight(
    {
      text: `select ${names.join(', ')} from traffic_days where website_id = $1 and day = $2`,
      values: [websiteId, day],
    },
    {
      text: `select dimension, value, count from traffic_counts where ${where}`,
      values: [websiteId, day, Object.values(dimensions)],
    },
  )
  return { packed: packed?.rows[0] as UnpackedDay['packed'], counts: counts?.rows as UnpackedDay['counts'] }
}

export async function writePacked(
  q: Queries,
  { websiteId, day }: SiteDay,
  packed: Record<Dimension, string | null>,
): Promise<void> {
  await q.flight(
    {
      text: `update traffic_days set ${names.map((name, index) => `${name} = $${index + 3}`).join(', ')}, is_packed = true
              where website_id = $1 and day = $2`,
      values: [websiteId, day, ...names.map((name) => packed[name])],
    },
    {
      text: `delete from traffic_counts where ${where}`,
      values: [websiteId, day, Object.values(dimensions)],
    },
  )
}
