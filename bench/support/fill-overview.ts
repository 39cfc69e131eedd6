/**
 * Creates monitors and websites with history. The default numbers are those of the performance promise for the
 * overview.
 */
import { pino } from 'pino'
import { localDayAt } from '../../src/lib/local-day.ts'
import { DAY_MS } from '../../src/shared/time.ts'
import { generateDemoEvents } from '../../src/traffic/demo/generate.ts'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import { ensureMonthPartitions } from '../../src/traffic/retention/partitions.ts'
import { Rollup } from '../../src/traffic/rollup/rollup.ts'
import { TrafficThreads } from '../../src/traffic/threads/traffic-threads.ts'
import type { BenchServer } from './bench-server.ts'
import { packAllDays } from './pack-all-days.ts'

const TRAFFIC_DAYS = 30
export const trafficTables = ['traffic_values', 'traffic_days', 'traffic_weeks', 'traffic_counts', 'visits', 'events']
/** Traffic is generated for one website per entry, with this many visitors a day, and copied to all other websites. */
const VISITORS_PER_DAY = [4, 12, 30, 60, 120]
/** Events and visits are copied only for this many days: enough for today's numbers and for current visitors. */
const COPIED_DAYS = 2

/** In each statement $1 is the owner's email address. */
const insertWebsitesSql = `insert into websites (user_id, domain, privacy, email, exclude_bots, favorite, time_zone, created_at, updated_at)
  select id, 'site-' || lpad(n::text, 4, '0') || '.example.com', n % 2, 0, 1, n % 40 = 0,
         (array['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'])[1 + n % 4], now(), now()
    from users, generate_series(0, $2::int - 1) n where email = $1`

/** Spreads the monitors over $3 websites. One in ten is a ping monitor, one in fifty is down, one in a hundred is paused. */
const insertMonitorsSql = `insert into monitors (user_id, friendly_name, url, type, interval_seconds, retries, retry_interval_seconds,
    remind_every_minutes, http, status, status_changed_at, search_text, created_at, updated_at)
  select id, name, url, kind, 60, 2, 5, 0,
         case kind when 'http' then '{"method": "GET", "body": null, "expected_status": "200-399", "keyword": null,
           "keyword_absent": null, "follow_redirects": true, "verify_tls": true}'::jsonb end,
         case when n % 50 = 3 then 'down' when n % 100 = 7 then 'paused' else 'up' end,
         now() - n % 50 * interval '3 minutes', lower(name) || E'\\n' || url, now() - interval '1 year', now()
    from users, generate_series(0, $2::int - 1) n,
         lateral (select case when n % 10 = 7 then 'ping' else 'http' end as kind, 'Shop ' || n as name,
                         'api-' || n || '.site-' || lpad((n % $3::int)::text, 4, '0') || '.example.com' as host) names,
         lateral (select case kind when 'ping' then host else 'https://' || host || '/health?deep=' || n % 7 end as url) target
   where email = $1`

const ownedMonitorsSql = 'monitors m join users u on u.id = m.user_id and u.email = $1'

const insertStatesSql = `insert into monitor_states (user_id, monitor_id, due_at, last_checked_at, last_response_ms, last_error)
  select m.user_id, m.id, case when m.status <> 'paused' then now() end, now() - m.id % 60 * interval '1 second',
         40 + m.id % 400, case m.status when 'down' then 'Status 503, expected 200–399' end
    from ${ownedMonitorsSql} on conflict do nothing`

/** Every monitor was active for a year. One in five was paused for a few of the last 90 days. */
const insertWatchesSql = `insert into watches (user_id, monitor_id, started_at, ended_at)
  select m.user_id, m.id, now() - first * interval '1 day', now() - last * interval '1 day'
    from ${ownedMonitorsSql}, lateral (select case m.status when 'paused' then 2.0 end as pause) p,
         lateral (values (365.0, case when m.id % 5 = 0 then 40.5 else pause end),
                         (case when m.id % 5 = 0 then 36.2 end, pause)) days (first, last)
   where first is not null`

/**
 * Each monitor had five incidents in the last 90 days and fifteen before, of 2 to 40 minutes, and has an open one if it is
 * down. With null as `measure_at` the past incidents count as measured. Otherwise the server would measure their impact
 * during the benchmark, which takes more than half a core.
 */
const insertIncidentsSql = `insert into incidents (user_id, monitor_id, cause, detail, started_at, detected_at, resolved_at, resolution, measure_at)
  select m.user_id, m.id, 'http_status', 'Status 503, expected 200–399', began, began + interval '10 seconds',
         began + (2 + (m.id * 7 + n * 11) % 39) * interval '1 minute', 'recovered', null
    from ${ownedMonitorsSql}, generate_series(0, 19) n,
         lateral (select now() - (n * 18 + (m.id * 13 + n * 5) % 17 + 0.7) * interval '1 day' as began) past
  union all
  select m.user_id, m.id, 'timeout', 'Response took longer than 10 s', status_changed_at - interval '10 seconds', status_changed_at, null, null, now()
    from ${ownedMonitorsSql} where m.status = 'down'`

/** Each monitor has response times of the last 24 hours. */
const insertHoursSql = `insert into check_hours (user_id, monitor_id, starts_at, total, failed, sum_ms, buckets, counts)
  select m.user_id, m.id, date_trunc('hour', now()) - hour * interval '1 hour', 60, 0, 60 * (100 + (m.id * hour) % 90), '{100}', '{60}'
    from ${ownedMonitorsSql}, generate_series(1, 24) hour`

/** Copies traffic to all websites that are not in $2. Each gets the traffic of one website in $2, chosen in rotation. */
const copySql = (table: string, columns: readonly string[], condition: string) => `
  insert into ${table} (website_id, ${columns.join(', ')})
  select w.id, ${columns.map((column) => `t.${column}`).join(', ')}
    from (select w.id, row_number() over (order by w.id) as place from websites w join users u on u.id = w.user_id
           where u.email = $1 and w.id <> all ($2::bigint[])) w
    join ${table} t on t.website_id = ($2::bigint[])[1 + w.place % cardinality($2::bigint[])] where ${condition}`

/** Gives each website up to three visitors who count as current for the next five minutes. */
const insertCurrentVisitorsSql = `insert into events (website_id, at, day, hour, kind, visit_id, page)
  select w.id, now() - visitor * interval '7 seconds', current_date, 0, 1, visitor, 1
    from websites w join users u on u.id = w.user_id and u.email = $1, generate_series(1, (w.id % 4)::int) visitor`

export async function readColumns({ db }: BenchServer, table: string): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `select attname::text as name from pg_attribute where attrelid = $1::text::regclass and attnum > 0
        and not attisdropped and attname <> 'website_id'`,
    [`belfry.${table}`],
  )
  return rows.map(({ name }) => name)
}

/** Stores events as the server does after receiving them. */
async function generateTraffic({ db }: BenchServer, websiteId: number, visitorsPerDay: number): Promise<void> {
  const to = Date.now()
  const from = localDayAt('UTC', to).startsAt - (TRAFFIC_DAYS - 1) * DAY_MS
  await insertBatch(db, [
    ...generateDemoEvents({ websiteId, timeZone: 'UTC', from, to, visitorsPerDay, seed: visitorsPerDay }),
  ])
  await new Rollup({
    db,
    log: pino({ level: 'silent' }),
    threads: new TrafficThreads(),
    sliceEvents: 50_000,
  }).rollUpAll()
}

export async function fillOverview(
  server: BenchServer,
  name: string,
  size: { monitors: number; websites: number } = { monitors: 10_000, websites: 1_000 },
): Promise<void> {
  const { db } = server
  const email = `${name}@example.com`
  const insertRows = async (rowsLabel: string, insertSql: string, ...values: unknown[]) => {
    const [result] = await db.batch({ text: insertSql, values: [email, ...values] })
    process.stderr.write(`  ${result?.count.toLocaleString('en')} ${rowsLabel} of ${name}\n`)
  }
  await insertRows('websites', insertWebsitesSql, size.websites)
  const sourceRows = await db.query<{ id: number }>(
    'select w.id from websites w join users u on u.id = w.user_id where u.email = $1 order by w.id limit $2',
    [email, VISITORS_PER_DAY.length],
  )
  const sourceIds = sourceRows.map(({ id }) => id)
  await ensureMonthPartitions(db, Date.now() - TRAFFIC_DAYS * DAY_MS, Date.now())
  for (const [index, id] of sourceIds.entries()) await generateTraffic(server, id, VISITORS_PER_DAY[index] ?? 1)
  await packAllDays(db)
  for (const table of trafficTables) {
    const condition = /^traffic/.test(table) ? 'true' : `t.day > current_date - ${COPIED_DAYS}`
    await insertRows(`rows of ${table}`, copySql(table, await readColumns(server, table), condition), sourceIds)
  }
  await insertRows('visitors now', insertCurrentVisitorsSql)
  await insertRows('monitors', insertMonitorsSql, size.monitors, size.websites)
  await insertRows('states', insertStatesSql)
  await insertRows('watches', insertWatchesSql)
  await insertRows('incidents', insertIncidentsSql)
  await insertRows('hours with checks', insertHoursSql)
  await server.vacuum(
    'websites',
    'monitors',
    'monitor_states',
    'monitor_counts',
    'watches',
    'incidents',
    'check_hours',
    ...trafficTables,
  )
}
