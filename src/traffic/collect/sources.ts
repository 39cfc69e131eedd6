/** From a host, an app or a utm_source to the name under which it is counted. */
import { isIP } from 'node:net'
import { parse } from 'tldts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import { shorten } from '../../lib/shorten.ts'
import { appsOf, hostsOf, spellingsOf } from './sources-table.ts'

const SOURCE_MOST = 200

const byHost = turned(hostsOf)
const byApp = turned(appsOf)
const bySpelling = new Map([
  ...Object.keys(hostsOf).map((name) => [plain(name), name] as const),
  ...[...turned(spellingsOf)].map(([spelling, name]) => [plain(spelling), name] as const),
])

/** Looking a host up takes some µs, and most visitors come from the same few. */
const HOSTS_MOST = 2_000
const known = new BoundedMap<string, string>(HOSTS_MOST)

/** "Google", or else the host as it is registered: example.org for news.example.org. In lower case, without www. */
export function sourceOfHost(host: string): string {
  const found = known.get(host)
  if (found !== undefined) return found
  const source = findName(host) ?? registrable(host)
  known.set(host, source)
  return source
}

/** `app` as in android-app://app/ */
export function sourceOfApp(app: string): string {
  return byApp.get(app) ?? shorten(app, SOURCE_MOST)
}

/** Whatever somebody wrote into utm_source: a name, a spelling of one, a host, or a word of their own. */
export function sourceOfLabel(label: string): string {
  const name = bySpelling.get(plain(label))
  if (name !== undefined) return name
  const host = label.toLowerCase().replace(/^www\./, '')
  return isRegistrable(host) ? sourceOfHost(host) : shorten(label, SOURCE_MOST)
}

function findName(host: string): string | undefined {
  for (let rest = host; rest !== ''; rest = rest.slice(rest.indexOf('.') + 1)) {
    const name = byHost.get(rest)
    if (name !== undefined) return name
    if (!rest.includes('.')) break
  }
  const country = /(?:^|\.)([a-z]+)\.(?:com?\.)?[a-z]{2}$/.exec(host)
  return country === null ? undefined : byHost.get(`${country[1]}.*`)
}

function registrable(host: string): string {
  if (isIP(host) !== 0) return host
  return parse(host, { allowPrivateDomains: true, extractHostname: false }).domain ?? host
}

function isRegistrable(host: string): boolean {
  if (!/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(host) || host.length > 253) return false
  const { domain, isIcann, isPrivate } = parse(host, { allowPrivateDomains: true, extractHostname: false })
  return domain !== null && (isIcann === true || isPrivate === true)
}

/** "Hacker-News", "hacker news" and "hackernews" are one. */
function plain(label: string): string {
  return label.toLowerCase().replace(/[\s_-]+/g, '')
}

function turned(table: Readonly<Record<string, string>>): Map<string, string> {
  return new Map(Object.entries(table).flatMap(([name, words]) => words.split(' ').map((word) => [word, name])))
}
