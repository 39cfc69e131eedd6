/** Which rows the overview shows, and in what order: a website with its monitors is a group that stays together. */
import type { OverviewMonitor, OverviewWebsite } from '../../lib/queries.ts'
import { factsOf, hostOf } from './facts.ts'

export interface WebsiteRow {
  kind: 'website'
  key: string
  website: OverviewWebsite
  /** The one that looks at this very host. */
  monitor: OverviewMonitor | undefined
}

export interface MonitorRow {
  kind: 'monitor'
  key: string
  monitor: OverviewMonitor
  /** Stands below the row of its website. */
  isIndented: boolean
}

export type OverviewRow = WebsiteRow | MonitorRow

export interface Group {
  website: OverviewWebsite | undefined
  monitor: OverviewMonitor | undefined
  /** By name. */
  further: readonly OverviewMonitor[]
  /** When its newest outage that goes on began; empty where nothing is down. */
  downSince: string
  sortKey: string
}

export const filters = ['all', 'down', 'websites', 'monitors'] as const
export type Filter = (typeof filters)[number]

type Glances = { websites: readonly OverviewWebsite[]; monitors: readonly OverviewMonitor[] }

export function groupRows({ websites, monitors }: Glances): Group[] {
  const domains = new Map(websites.map((website) => [website.id, website.domain]))
  const byWebsite = new Map<number, OverviewMonitor[]>()
  const groups: Group[] = []
  for (const monitor of monitors) {
    const id = monitor.website_id
    if (id === null || !domains.has(id)) {
      groups.push({
        website: undefined,
        monitor,
        further: [],
        downSince: downSince(monitor),
        sortKey: factsOf(monitor).sortKey,
      })
      continue
    }
    const others = byWebsite.get(id)
    if (others === undefined) byWebsite.set(id, [monitor])
    else others.push(monitor)
  }
  for (const website of websites) {
    const own = (byWebsite.get(website.id) ?? []).sort(byName)
    const monitor = findOwn(own, website.domain)
    groups.push({
      website,
      monitor,
      further: own.filter((one) => one !== monitor),
      downSince: own.map(downSince).reduce(later, ''),
      sortKey: factsOf(website).sortKey,
    })
  }
  return groups.sort(inOrder)
}

/** The page itself before what lies deeper, and before a ping. */
function findOwn(monitors: readonly OverviewMonitor[], domain: string): OverviewMonitor | undefined {
  const rank = ({ type, url, id }: OverviewMonitor) => (type === 'http' ? 0 : 1e9) + url.length * 1e5 + (id % 1e5)
  let best: OverviewMonitor | undefined
  for (const monitor of monitors) {
    if (hostOf(monitor.url) === domain && (best === undefined || rank(monitor) < rank(best))) best = monitor
  }
  return best
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

const downSince = ({ status, status_changed_at }: OverviewMonitor) => (status === 'down' ? status_changed_at : '')
const later = (a: string, b: string) => (a > b ? a : b)

function byName(a: OverviewMonitor, b: OverviewMonitor): number {
  return compare(factsOf(a).sortKey, factsOf(b).sortKey) || a.id - b.id
}

/** What is down, then favourites; of what is down the newest outage is first, for nobody has seen it yet. */
function inOrder(a: Group, b: Group): number {
  const isDown = a.downSince !== ''
  if (isDown !== (b.downSince !== '')) return isDown ? -1 : 1
  const isFavorite = a.website?.favorite ?? false
  if (isFavorite !== (b.website?.favorite ?? false)) return isFavorite ? -1 : 1
  return (
    compare(b.downSince, a.downSince) || compare(a.sortKey, b.sortKey) || (a.monitor?.id ?? 0) - (b.monitor?.id ?? 0)
  )
}

/** Every word has to be found, in a website's domain or in the name or address of a monitor. */
export function chooseRows(groups: readonly Group[], query: string, filter: Filter): OverviewRow[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const matches = (...records: readonly (OverviewWebsite | OverviewMonitor | undefined)[]) =>
    words.every((word) => records.some((record) => record !== undefined && factsOf(record).text.includes(word)))
  const isChosen = (monitor: OverviewMonitor) => filter !== 'down' || monitor.status === 'down'

  if (filter === 'monitors') {
    const monitors = groups.flatMap(({ monitor, further }) => (monitor ? [monitor, ...further] : further))
    return monitors
      .filter((monitor) => matches(monitor))
      .sort((a, b) => compare(downSince(b), downSince(a)) || byName(a, b))
      .map((monitor) => monitorRow(monitor, false))
  }

  const rows: OverviewRow[] = []
  for (const { website, monitor, further } of groups) {
    if (website === undefined) {
      if (monitor && filter !== 'websites' && isChosen(monitor) && matches(monitor)) {
        rows.push(monitorRow(monitor, false))
      }
      continue
    }
    const hasWebsite = (filter !== 'down' || monitor?.status === 'down') && matches(website, monitor)
    if (hasWebsite) rows.push({ kind: 'website', key: `w${website.id}`, website, monitor })
    if (filter === 'websites') continue
    for (const one of further) if (isChosen(one) && matches(one)) rows.push(monitorRow(one, hasWebsite))
  }
  return rows
}

function monitorRow(monitor: OverviewMonitor, isIndented: boolean): MonitorRow {
  return { kind: 'monitor', key: `m${monitor.id}`, monitor, isIndented }
}
