/** SQL of results: the state, the incident and the alerts of a monitor change together or not at all. */
import { numbersLiteral, textsLiteral } from '../storage/array-literal.ts'
import type { Queries } from '../storage/client.ts'
import type { Alert, Result } from './result.ts'

type Picker<T> = (result: Result) => T

/** Columns of the results, in the order of their parameters. $1 is the node. */
const numbers: readonly [name: string, type: string, pick: Picker<number | null>][] = [
  ['user_id', 'bigint', ({ claimed }) => claimed.userId],
  ['monitor_id', 'bigint', ({ claimed }) => claimed.monitorId],
  ['claim', 'integer', ({ claimed }) => claimed.claim],
  ['begun', 'float8', ({ begun }) => begun.getTime()],
  ['due', 'float8', ({ due }) => due.getTime()],
  ['failures', 'integer', ({ verdict }) => verdict.failures],
  ['failing_since', 'float8', ({ verdict }) => verdict.failingSince?.getTime() ?? null],
  ['tls_expires', 'float8', ({ tlsExpiresAt }) => tlsExpiresAt?.getTime() ?? null],
  ['tls_warned', 'smallint', ({ tlsWarnedDays }) => tlsWarnedDays],
  ['response_ms', 'integer', ({ finding }) => finding.responseMs],
  ['bucket', 'smallint', ({ bucket }) => bucket],
  ['dns_ms', 'integer', ({ finding }) => finding.timings.dnsMs],
  ['connect_ms', 'integer', ({ finding }) => finding.timings.connectMs],
  ['tls_ms', 'integer', ({ finding }) => finding.timings.tlsMs],
  ['first_byte_ms', 'integer', ({ finding }) => finding.timings.firstByteMs],
  ['http_status', 'smallint', ({ finding }) => finding.httpStatus],
  ['packet_loss', 'smallint', ({ finding }) => finding.packetLoss],
]
const texts: readonly [name: string, pick: Picker<string | null>][] = [
  ['cause', ({ finding }) => finding.failure?.cause ?? null],
  ['detail', ({ finding }) => finding.failure?.detail ?? null],
]
/** Only of those that change more than their state. */
const eventNumbers: typeof numbers = [
  ['ended', 'float8', ({ ended }) => ended.getTime()],
  ['watch_ended', 'float8', ({ verdict }) => verdict.watchEndedAt?.getTime() ?? null],
  ['watched_from', 'float8', ({ verdict }) => verdict.watchedFrom?.getTime() ?? null],
  ['down_since', 'float8', ({ downSince }) => downSince?.getTime() ?? null],
]
const eventTexts: typeof texts = [
  ['status', ({ verdict }) => verdict.status],
  ['event', ({ verdict }) => verdict.event],
]

function given(numeric: typeof numbers, textual: typeof texts): string {
  const types = [...numeric.map(([, type]) => type), ...textual.map(() => 'text')]
  const parameters = types.map((type, index) => `$${index + 2}::${type}[]`)
  const names = [...numeric.map(([name]) => name), ...textual.map(([name]) => name)]
  return `given as (select * from unnest(${parameters.join(', ')}) as g (${names.join(', ')}))`
}

const valuesOf = (results: readonly Result[], numeric: typeof numbers, textual: typeof texts) => [
  ...numeric.map(([, , pick]) => numbersLiteral(results.map(pick))),
  ...textual.map(([, pick]) => textsLiteral(results.map(pick))),
]

/** Milliseconds since 1970 as a time. */
const at = (column: string) => `to_timestamp(${column} * 0.001)`

/** Only where the claim is still the one that the check was made for: whoever was late, or checked what is no more, is ignored. */
const kept = (from: string) => `kept as (
    update monitor_states s set last_checked_at = ${at('g.begun')}, last_response_ms = g.response_ms, last_error = g.detail,
      tls_expires_at = ${at('g.tls_expires')}, tls_warned_days = g.tls_warned, failures = g.failures,
      failing_since = ${at('g.failing_since')}, due_at = ${at('g.due')}, waiting_since = null, claimed_by = null
      from ${from}
     where s.user_id = g.user_id and s.monitor_id = g.monitor_id and s.claim = g.claim and s.claimed_by = $1
    returning g.*
  )`

const log = `insert into checks (user_id, monitor_id, checked_at, cause, detail, response_ms, bucket, dns_ms, connect_ms,
    tls_ms, first_byte_ms, http_status, packet_loss)
  select user_id, monitor_id, ${at('begun')}, cause, detail, response_ms, bucket, dns_ms, connect_ms, tls_ms,
         first_byte_ms, http_status, packet_loss from kept`

const recordPlain = `with ${given(numbers, texts)}, ${kept('given g')} ${log}`

/** Results that change nothing but the state of their monitors. Answers with how many counted. */
export async function recordStates(q: Queries, node: number, results: readonly Result[]): Promise<number> {
  const [result] = await q.flight({ text: recordPlain, values: [node, ...valuesOf(results, numbers, texts)] })
  return result?.count ?? 0
}

const allNumbers = [...numbers, ...eventNumbers]
const allTexts = [...texts, ...eventTexts]
const firstAlert = 2 + allNumbers.length + allTexts.length
const alertTypes = ['bigint', 'bigint', 'integer', 'text', 'text', 'text', 'text']
const alertParameters = alertTypes.map((type, index) => `$${firstAlert + index}::${type}[]`).join(', ')

const mine = (table: string) => `${table}.user_id = k.user_id and ${table}.monitor_id = k.monitor_id`

/**
 * Monitors are locked first, as those who change them do. A watch that ends does so before another begins, which counting
 * the ended ones makes sure of. Clocks differ a little, and nothing ends before it began.
 */
const recordEvents = `with ${given(allNumbers, allTexts)}, locked as materialized (
    select m.user_id, m.id, m.remind_every_minutes from monitors m join given g on m.user_id = g.user_id and m.id = g.monitor_id
     order by m.user_id, m.id for no key update of m
  ), ${kept('given g join locked l on l.user_id = g.user_id and l.id = g.monitor_id')}, logged as (${log}
  ), changed as (
    update monitors m set status = k.status, status_changed_at = ${at('k.ended')} from kept k
     where m.user_id = k.user_id and m.id = k.monitor_id and m.status <> k.status
  ), unwatched as (
    update watches w set ended_at = greatest(w.started_at, ${at('k.watch_ended')}) from kept k
     where ${mine('w')} and w.ended_at is null and k.watch_ended is not null
    returning w.monitor_id
  ), watched as (
    insert into watches (user_id, monitor_id, started_at)
    select k.user_id, k.monitor_id, ${at('k.watched_from')} from kept k, (select count(*) from unwatched) ended
     where k.watched_from is not null
    on conflict do nothing
  ), opened as (
    insert into incidents (user_id, monitor_id, cause, detail, started_at, detected_at, remind_at)
    select k.user_id, k.monitor_id, k.cause, k.detail, ${at('k.down_since')},
           greatest(${at('k.down_since')}, ${at('k.ended')}),
           case when l.remind_every_minutes > 0 then ${at('k.ended')} + l.remind_every_minutes * interval '1 minute' end
      from kept k join locked l on l.user_id = k.user_id and l.id = k.monitor_id where k.event = 'down'
    on conflict do nothing
    returning user_id, monitor_id, id
  ), closed as (
    update incidents i set resolved_at = greatest(i.started_at, ${at('k.ended')}), resolution = 'recovered', remind_at = null
      from kept k where ${mine('i')} and i.resolved_at is null and k.event = 'recovered'
    returning i.user_id, i.monitor_id, i.id
  ), said as (
    insert into alerts (user_id, monitor_id, provider_id, event, incident_id, occurrence, title, body, created_at,
      next_attempt_at)
    select k.user_id, k.monitor_id, a.provider_id, t.event,
           case t.event when 'down' then o.id when 'recovered' then c.id end,
           t.occurrence, t.title, t.body, ${at('k.ended')}, ${at('k.ended')}
      from kept k join unnest(${alertParameters}) as t (user_id, monitor_id, claim, event, occurrence, title, body)
        on ${mine('t')} and t.claim = k.claim
      join assignments a on ${mine('a')} and a.enabled
      left join opened o on ${mine('o')} left join closed c on ${mine('c')}
     where t.event = 'certificate' or coalesce(o.id, c.id) is not null
    on conflict do nothing
    returning 1
  )
  select (select count(*) from kept) as kept, (select count(*) from said) as said`

/** Results that change statuses, incidents or watches, or that have to be told. */
export async function recordChanges(
  q: Queries,
  node: number,
  results: readonly Result[],
): Promise<{ kept: number; said: number }> {
  const alerts = results.flatMap(({ claimed, alerts }) => alerts.map((alert) => ({ ...claimed, alert })))
  const text = (pick: (alert: Alert) => string) => textsLiteral(alerts.map(({ alert }) => pick(alert)))
  const [row] = await q.query<{ kept: number; said: number }>(recordEvents, [
    node,
    ...valuesOf(results, allNumbers, allTexts),
    numbersLiteral(alerts.map(({ userId }) => userId)),
    numbersLiteral(alerts.map(({ monitorId }) => monitorId)),
    numbersLiteral(alerts.map(({ claim }) => claim)),
    text(({ event }) => event),
    text(({ occurrence }) => occurrence),
    text(({ title }) => title),
    text(({ body }) => body),
  ])
  return row ?? { kept: 0, said: 0 }
}
