/** Reads the visits and events of all websites, whether they are rows or in blocks. */
import { blockColumns } from '../../src/traffic/blocks/block.ts'
import { decodeBlock } from '../../src/traffic/blocks/decode-block.ts'
import type { TrafficPart } from '../../src/traffic/blocks/traffic-part.ts'
import { visitDimensions, visitorDimensions } from '../../src/traffic/model/dimensions.ts'

/** Queries the rows of all users. */
export type QueryRows = <R extends object>(sql: string, values?: unknown[]) => Promise<R[]>

/** A row of `visits`. Times are ISO 8601. */
export interface StoredVisit extends Record<string, string | number | null> {
  website_id: number
  day: string
  visitor: number
  id: number
  started_at: string
  last_at: string
  views: number
  actions: number
  hours: number
}

/** A row of `events`. */
export interface StoredEvent {
  website_id: number
  day: string
  at: string
  hour: number
  kind: number
  visit_id: number | null
  page: number | null
  name: number | null
  engaged_ms: number | null
  props: string | null
}

export interface StoredTraffic {
  visits: StoredVisit[]
  events: StoredEvent[]
}

const dimensions = [...visitDimensions, ...visitorDimensions]
const formatTime = (column: string) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${column}`

/** Returns everything in a fixed order, so two results can be compared. */
export async function readStoredTraffic(queryRows: QueryRows): Promise<StoredTraffic> {
  const [rows, blocks] = [await readRows(queryRows), await readBlockTraffic(queryRows)]
  return {
    visits: [...rows.visits, ...blocks.visits].sort(compareVisits),
    events: [...rows.events, ...blocks.events].sort(compareEvents),
  }
}

const compareVisits = (one: StoredVisit, other: StoredVisit) => one.website_id - other.website_id || one.id - other.id
const sortKey = ({ website_id, at, visit_id, kind, page, name, engaged_ms, props }: StoredEvent) =>
  JSON.stringify([website_id, at, visit_id, kind, page, name, engaged_ms, props])
const compareEvents = (one: StoredEvent, other: StoredEvent) => (sortKey(one) < sortKey(other) ? -1 : 1)

async function readRows(queryRows: QueryRows): Promise<StoredTraffic> {
  return {
    visits: await queryRows<StoredVisit>(
      `select website_id, day::text as day, visitor, id, ${formatTime('started_at')}, ${formatTime('last_at')}, views, actions,
              hours, ${dimensions.join(', ')}
         from visits`,
    ),
    events: await queryRows<StoredEvent>(
      `select website_id, day::text as day, ${formatTime('at')}, hour, kind, visit_id, page, name, engaged_ms, props
         from events`,
    ),
  }
}

const visitColumns = [
  'website_id',
  'day',
  'visitor',
  'id',
  'started_at',
  'last_at',
  'views',
  'hours',
  ...dimensions,
].join()
const eventColumns = ['website_id', 'day', 'at', 'hour', 'kind', 'visit_id', 'page', 'name'].join()

/** $1 and $2 are the visits and the events in blocks, as JSON. */
const withTrafficSql = `
  with all_visits as materialized (
    select ${visitColumns} from visits
    union all select ${visitColumns} from json_populate_recordset(null::visits, $1)
  ), all_events as materialized (
    select ${eventColumns} from events
    union all select ${eventColumns} from json_populate_recordset(null::events, $2)
  )`

/**
 * Returns a function for queries of `all_visits` and `all_events`, which have rows and decoded blocks as of now. The first parameter of
 * these queries is $3. They begin with "select", or with a comma and further parts of "with".
 */
export async function openStoredTraffic(queryRows: QueryRows): Promise<QueryRows> {
  const { visits, events } = await readBlockTraffic(queryRows)
  const blockRows = [JSON.stringify(visits), JSON.stringify(events)]
  return (sql, values = []) => queryRows(`${withTrafficSql} ${sql}`, [...blockRows, ...values])
}

interface BlockRow extends Record<string, unknown> {
  website_id: number
  day: string
}

/** Decodes the blocks, without visitors that have rows on the same day. */
export async function readBlockTraffic(queryRows: QueryRows): Promise<StoredTraffic> {
  const rowVisitors = await queryRows<{ key: string }>(
    `select distinct concat_ws(' ', website_id, day, visitor) as key from visits`,
  )
  const rowVisitorKeys = new Set(rowVisitors.map(({ key }) => key))
  const blocks = await queryRows<BlockRow>(
    `select website_id, day::text as day, version, visitors, visits, hits, events as event_count,
            ${blockColumns.map((name) => `${name} as "column ${name}"`).join(', ')}
       from traffic_blocks
      order by website_id, day, part`,
  )
  const traffic: StoredTraffic = { visits: [], events: [] }
  for (const { website_id, day, version, visitors, visits, hits, event_count, ...columns } of blocks) {
    const part = decodeBlock({
      version: version as number,
      visitors: visitors as number,
      visits: visits as number,
      hits: hits as number,
      events: event_count as number,
      columns: Object.fromEntries(blockColumns.map((name) => [name, columns[`column ${name}`] as Uint8Array | null])),
    })
    addPart(traffic, { website_id, day }, part, (visitor) => rowVisitorKeys.has(`${website_id} ${day} ${visitor}`))
  }
  return traffic
}

function addPart(
  traffic: StoredTraffic,
  websiteDay: { website_id: number; day: string },
  { visitors, visits, events, orphans }: TrafficPart,
  isSkipped: (visitor: number) => boolean,
): void {
  let [visit, event] = [0, 0]
  for (const [visitorIndex, visitor] of visitors.ids.entries()) {
    for (let n = 0; n < (visitors.visitCounts[visitorIndex] as number); n++, visit++) {
      const eventEnd = event + (visits.eventCounts[visit] as number)
      if (isSkipped(visitor)) {
        event = eventEnd
        continue
      }
      const id = visits.ids[visit] as number
      const startedAt = visits.startedAt[visit] as number
      traffic.visits.push({
        ...websiteDay,
        visitor,
        id,
        started_at: new Date(startedAt).toISOString(),
        last_at: new Date(startedAt + (visits.durationMs[visit] as number)).toISOString(),
        views: visits.views[visit] as number,
        actions: visits.actions[visit] as number,
        hours: visits.hourBits[visit] as number,
        ...Object.fromEntries(visitDimensions.map((name) => [name, visits.values[name][visit] || null])),
        ...Object.fromEntries(visitorDimensions.map((name) => [name, visitors.values[name][visitorIndex] || null])),
      })
      for (; event < eventEnd; event++) {
        const engagedMs = events.engagedMs[event] as number
        traffic.events.push({
          ...websiteDay,
          at: new Date(events.at[event] as number).toISOString(),
          hour: events.hours[event] as number,
          kind: events.kinds[event] as number,
          visit_id: id,
          page: events.pages[event] || null,
          name: events.names[event] || null,
          engaged_ms: engagedMs === -1 ? null : engagedMs,
          props: events.props?.[event] ?? null,
        })
      }
    }
  }
  for (const { at, hour, kind, page, name, engagedMs, props } of orphans) {
    traffic.events.push({
      ...websiteDay,
      at: new Date(at).toISOString(),
      hour,
      kind,
      visit_id: null,
      page: page || null,
      name: name || null,
      engaged_ms: engagedMs,
      props,
    })
  }
}
