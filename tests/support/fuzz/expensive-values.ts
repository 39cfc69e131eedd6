/** Values that are costly to parse, compare or compute with, both valid and invalid ones, by the name of the field. */

const repeat = (text: string, length: number) => text.repeat(Math.ceil(length / text.length)).slice(0, length)
const lines = (count: number, toLine: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => toLine(n)).join('\n')

const nearestWeekdays = Array.from({ length: 26 }, (_, n) => `${n + 1}W`).join(',')
const crons = [
  '* * * * *',
  '0 0 31 2 *',
  '0 0 29 2 +1',
  '0 0 5W * +0#1',
  '0 2 L * +1',
  `* * ${nearestWeekdays} * +0#1`,
  `${'0-59,'.repeat(18)}* * * * *`,
  repeat('1,', 100),
]
const timeZones = ['America/Argentina/ComodRivadavia', 'Africa/Casablanca', repeat('Europe/', 100)]

const jsonPaths = [
  repeat('$..*', 4) + repeat('..*', 496),
  `$${repeat('[?@', 497)}`,
  `$[?${repeat('(', 490)}`,
  `$[?${'('.repeat(200)}@.a${')'.repeat(200)}]`,
  `$[?${Array.from({ length: 60 }, () => '!@.a').join('&&')}]`,
  `$[?match(@.a, '${repeat('(a*)*', 400)}b')]`,
  `$[${repeat('0,', 490)}0]`,
  `$["${repeat('\\u0041', 480)}"]`,
]

const markdowns = [
  '*a '.repeat(3_333),
  '['.repeat(10_000),
  '[a]('.repeat(2_500),
  '`'.repeat(10_000),
  '> '.repeat(5_000),
  '- '.repeat(5_000),
  '**a'.repeat(3_333),
  '_a__'.repeat(2_500),
  'http://a.b '.repeat(900),
  'http://'.repeat(1_428),
  'a@'.repeat(5_000),
  '![]('.repeat(2_500),
  `|${'a|'.repeat(120)}\n|${'-|'.repeat(120)}\n${`|${'b|'.repeat(120)}\n`.repeat(38)}`,
  lines(5_000, () => 'a'),
  lines(1_250, (n) => `[${n}]: x`),
  '&#1;'.repeat(2_500),
  '<a '.repeat(3_333),
  '~~a'.repeat(3_333),
  '\\'.repeat(10_000),
  '1. '.repeat(3_333),
  '# '.repeat(5_000),
]

const addressLines = (count: number) => lines(count, (n) => `2001:db8::${n.toString(16)}/128`)
const listOf = <T>(count: number, toEntry: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => toEntry(n))

export interface ExpensiveContext {
  /** URLs on loopback whose responses are costly to read. */
  targets: string[]
  monitorIds: number[]
}

export function createExpensiveValues({ targets, monitorIds }: ExpensiveContext): Record<string, readonly unknown[]> {
  const groups = (groupCount: number) =>
    listOf(groupCount, (n) => ({
      name: `Group ${n} ${repeat('ä', 80)}`,
      monitors: monitorIds
        .slice((n * monitorIds.length) / groupCount, ((n + 1) * monitorIds.length) / groupCount)
        .map((id) => ({ monitor_id: id, label: repeat('<&"', 100) })),
    }))
  const draft = { slug: 'draft', title: repeat('<', 100), description: repeat('&', 500), groups: groups(50) }
  return {
    cron: crons,
    time_zone: timeZones,
    recurrence: [
      ...crons.map((cron) => ({ cron, time_zone: 'America/New_York', duration_seconds: 60 })),
      { cron: '0 0 * * *', time_zone: 'Africa/Casablanca', duration_seconds: 86_400, until: '9999-12-31T00:00:00Z' },
      { cron: '0 0 29 2 *', time_zone: 'Europe/Berlin', duration_seconds: 60, until: '2027-01-01T00:00:00Z' },
    ],
    heartbeat: crons.map((cron) => ({ cron, time_zone: 'Africa/Casablanca' })),
    http: [
      ...jsonPaths.map((path) => ({ json: Array(10).fill({ path, op: 'exists' }) })),
      { expected_status: repeat('100-599,', 199) },
      { expected_status: repeat('1', 200) },
      { headers: Object.fromEntries(listOf(50, (n) => [`X-${n}${repeat('a', 200)}`, repeat('b', 8_000)])) },
      { method: 'POST', body: repeat('ä', 65_536) },
      { keyword: repeat('aaaaaaab', 1_000), keyword_absent: repeat('a', 1_000) },
    ],
    dns: [{ record: 'TXT', expected: Array(50).fill(repeat('a.', 1_000)), match: 'exact' }],
    tcp: [{ send: repeat('\0', 1_000), expect: repeat('ab', 1_000) }],
    url: [...targets, `http://127.0.0.1:1/${repeat('%F0%9F%98%80/../', 2_000)}`, `127.0.0.1:${repeat('1', 2_000)}`],
    domain: [
      repeat('ä', 2_048),
      `${repeat('a-', 62)}.`.repeat(30),
      repeat('xn--', 2_000),
      repeat('ß.', 2_048),
      repeat('\u0301', 2_048),
    ],
    exclude_ips: [addressLines(100), addressLines(40_000), repeat('1.1.1.1/', 900_000), repeat('\n', 1_000_000)],
    exclude_params: [
      lines(100, (n) => `${repeat('a*', 100)}${n}`),
      lines(100_000, (n) => `p${n}`),
      repeat('*', 900_000),
      repeat(' \n', 1_000_000),
    ],
    tags: [
      listOf(20, (n) => `${n}${repeat('İ', 48)}`),
      listOf(200, () => repeat('ﬃ', 50)),
      listOf(2_000, (n) => repeat(`${n}ẞ`, 400)),
    ],
    body: markdowns,
    draft: [
      JSON.stringify(draft),
      JSON.stringify({ ...draft, groups: listOf(2_000, () => ({ name: 'x', monitors: [] })) }),
      repeat('[', 900_000),
      repeat('{"a":', 900_000),
      repeat('"\\\\', 900_000),
    ],
    groups: [groups(50), groups(1), listOf(2_000, () => ({ name: '', monitors: [] }))],
    monitor_ids: [monitorIds, listOf(1_000, (n) => 1_000_000 + n), listOf(2_000, (n) => String(n))],
    ids: [listOf(1_000, (n) => 1_000_000 + n), listOf(2_000, () => -1)],
    monitors: [repeat('1,', 7_000)],
    search: [repeat('%_\\', 7_000), repeat('ﷺ', 700)],
    filter: [
      listOf(20, () => `page:${repeat('*a', 300)}`),
      listOf(20, () => `page:${repeat('\\*', 300)}`),
      listOf(300, () => 'page:*'),
    ],
    from: ['1970-01-01', '0001-01-01', '2016-12-01', '9999-12-31', repeat('2', 7_000)],
    to: ['9999-12-31', '2026-12-31', repeat('9', 7_000)],
    props: [
      Object.fromEntries(listOf(100, (n) => [`${n}${repeat('k', 300)}`, repeat('v', 2_000)])),
      JSON.stringify(listOf(1_900, () => repeat('a', 100))),
    ],
    email: [repeat('a@', 254), repeat('a.', 250), repeat('"\\', 254)],
    custom_domain: [repeat('ä', 253), `${repeat('a.', 250)}`, repeat('.', 253)],
    accent_color: [`#${repeat('f', 900_000)}`],
    headers: [Object.fromEntries(listOf(100, (n) => [`X-${n}`, repeat('ä', 8_000)]))],
    starts_at: [repeat('2026-01-05T10:00:00.0000000000', 900_000), '9999-12-31T23:59:60Z'],
    token: [repeat('a', 900_000)],
  }
}

/** Returns a value for a field that is not in the table. */
export function createGenericValue(type: string | undefined, maxLength: number | undefined): unknown {
  switch (type) {
    case 'array':
      return listOf(200, (n) => ({ [n]: n }))
    case 'object':
      return Object.fromEntries(listOf(100, (n) => [repeat(`${n}-`, 500), [null]]))
    case 'string':
      return repeat('İ\u0301', Math.min(maxLength ?? 10_000, 50_000))
    default:
      return repeat('9', 50_000)
  }
}

/** Bodies of JSON requests, as text. */
export const expensiveBodies: readonly string[] = [
  repeat('[', 1_048_576),
  repeat('{"a":', 1_048_576),
  repeat('\\', 1_048_576),
  `"${repeat('\\\\', 1_048_570)}"`,
  `{"a":"${repeat('\\u0000', 1_048_560)}"}`,
  JSON.stringify(Object.fromEntries(listOf(100, (n) => [repeat(`${n}`, 9_000), n]))),
  JSON.stringify(listOf(90, () => listOf(100, () => ({})))),
  `{"a":${repeat('1', 1_048_560)}}`,
  repeat(' ', 1_048_576),
]

/** Bodies of forms. */
export const expensiveForms: readonly string[] = [
  repeat('%F0%9F%98%80', 1_048_576),
  repeat('a=%&', 1_048_576),
  Array.from({ length: 2_100 }, (_, n) => `a${n % 100}=${repeat('%zz', 490)}`).join('&'),
  Array.from({ length: 2_000 }, () => `tags=${repeat('+', 500)}`).join('&'),
]

/** Node accepts at most 16 KiB for all headers of a request, so these leave some room for the others. */
export const expensiveHeaders: readonly Record<string, string>[] = [
  { cookie: repeat('belfry_session=a; ', 14_000) },
  { cookie: repeat('=;', 14_000) },
  { accept: repeat('text/html;q=0.1,', 14_000) },
  { accept: repeat('a/b;c="', 14_000) },
  { 'accept-encoding': repeat('gzip;q=0.001,', 14_000) },
  { 'accept-language': repeat('de;q=0.1,', 14_000) },
  { 'if-none-match': repeat('W/"a",', 14_000) },
  { 'x-forwarded-for': repeat('127.0.0.1, ', 14_000) },
  { 'x-forwarded-for': repeat('2001:db8::1,', 14_000) },
  { 'x-forwarded-host': repeat('a.', 14_000), 'x-forwarded-proto': repeat('https,', 1_000) },
  { 'user-agent': repeat('Mozilla/5.0 (Windows NT 10.0) Chrome/1 ', 14_000) },
  { 'user-agent': repeat('((((;', 14_000) },
  { authorization: `Bearer ${repeat('bf_', 14_000)}` },
  { 'content-type': `application/json;${repeat('a="b";', 14_000)}` },
  { range: repeat('bytes=0-1,', 14_000) },
  { origin: `http://${repeat('a.', 14_000)}` },
  { referer: `http://${repeat('[', 14_000)}` },
  { 'idempotency-key': repeat('a', 14_000) },
]
