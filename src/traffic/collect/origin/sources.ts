/** Finds the name of the traffic source behind a host, an app or a utm_source. */
import { parse } from 'tldts'
import { BoundedMap } from '../../../lib/bounded-map.ts'
import { truncate } from '../../../lib/text.ts'
import { sourceAliases, sourceApps, sourceHosts } from '../../../shared/traffic-sources.ts'

const MAX_SOURCE_LENGTH = 200

const namesByHost = invert(sourceHosts)
const namesByApp = invert(sourceApps)
const namesByAlias = new Map([
  ...Object.keys(sourceHosts).map((name) => [normalizeLabel(name), name] as const),
  ...invert(sourceAliases),
])

/** A lookup takes a few µs, and most visitors come from the same hosts, so results are cached. */
const MAX_CACHED_HOSTS = 2_000
const sourcesByHost = new BoundedMap<string, string>(MAX_CACHED_HOSTS)

/** Returns a known name such as "Google", or the host itself. Expects lower case, without `www.`. */
export function identifyHostSource(host: string): string {
  const cached = sourcesByHost.get(host)
  if (cached !== undefined) return cached
  const source = findKnownName(host) ?? truncate(host, MAX_SOURCE_LENGTH)
  sourcesByHost.set(host, source)
  return source
}

/** `app` is the host of an android-app:// or ios-app:// URL. */
export function identifyAppSource(app: string): string {
  return namesByApp.get(app) ?? truncate(app, MAX_SOURCE_LENGTH)
}

/** `label` is the value of utm_source: a known name, an alias, a host, or any other text. */
export function identifyLabelSource(label: string): string {
  const name = findLabelName(normalizeLabel(label))
  if (name !== undefined) return name
  const host = label.toLowerCase().replace(/^www\./, '')
  return isPublicHost(host) ? identifyHostSource(host) : truncate(label, MAX_SOURCE_LENGTH)
}

/** Ignores `ad` or `ads` at the end: `yt-ads` is YouTube, like `yt`. */
function findLabelName(normalizedLabel: string): string | undefined {
  return namesByAlias.get(normalizedLabel) ?? namesByAlias.get(normalizedLabel.replace(/ads?$/, ''))
}

/** Tries the host, then its parent domains, then entries such as `google.*`, which stand for any country's domain. */
function findKnownName(host: string): string | undefined {
  for (let domain = host; domain !== ''; domain = domain.slice(domain.indexOf('.') + 1)) {
    const name = namesByHost.get(domain)
    if (name !== undefined) return name
    if (!domain.includes('.')) break
  }
  const countryMatch = /(?:^|\.)([a-z]+)\.(?:com?\.)?[a-z]{2}$/.exec(host)
  return countryMatch === null ? undefined : namesByHost.get(`${countryMatch[1]}.*`)
}

/** Distinguishes example.org from other text with dots, such as v2.final. */
function isPublicHost(host: string): boolean {
  if (!/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(host) || host.length > 253) return false
  const { domain, isIcann, isPrivate } = parse(host, { allowPrivateDomains: true, extractHostname: false })
  return domain !== null && (isIcann === true || isPrivate === true)
}

/** Makes "Hacker-News", "hacker news" and "hackernews" equal. */
function normalizeLabel(label: string): string {
  return label.toLowerCase().replace(/[\s_-]+/g, '')
}

/** Turns name → space-separated values into value → name. */
function invert(table: Readonly<Record<string, string>>): Map<string, string> {
  return new Map(Object.entries(table).flatMap(([name, values]) => values.split(' ').map((value) => [value, name])))
}
