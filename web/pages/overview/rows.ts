/** Which rows the overview shows, and in what order. A website and its monitors form a group that stays together. */
import type { OverviewMonitor, OverviewWebsite } from '../../lib/queries.ts'
import { getComparableHost, getSearchData } from './search-data.ts'

export interface WebsiteRowData {
  kind: 'website'
  key: string
  website: OverviewWebsite
  /** The main monitor of the website's host, shown in the same row. */
  monitor: OverviewMonitor | undefined
}

export interface MonitorRowData {
  kind: 'monitor'
  key: string
  monitor: OverviewMonitor
  /** Whether the row is shown below the row of its website. */
  isIndented: boolean
}

export type OverviewRow = WebsiteRowData | MonitorRowData

export interface RowGroup {
  /** Undefined for a monitor without a website. */
  website: OverviewWebsite | undefined
  /** The main monitor of the website, or the monitor without a website. */
  monitor: OverviewMonitor | undefined
  /** Sorted by name. */
  otherMonitors: readonly OverviewMonitor[]
  /** Start of the most recent ongoing incident; empty if nothing is down. */
  downSince: string
  sortKey: string
}

export const rowFilters = ['all', 'down', 'websites', 'monitors'] as const
export type RowFilter = (typeof rowFilters)[number]

type OverviewRecords = { websites: readonly OverviewWebsite[]; monitors: readonly OverviewMonitor[] }

export function groupRows({ websites, monitors }: OverviewRecords): RowGroup[] {
  const domains = new Map(websites.map((website) => [website.id, website.domain]))
  const monitorsByWebsite = new Map<number, OverviewMonitor[]>()
  const groups: RowGroup[] = []
  for (const monitor of monitors) {
    const id = monitor.website_id
    if (id === null || !domains.has(id)) {
      groups.push({
        website: undefined,
        monitor,
        otherMonitors: [],
        downSince: getDownSince(monitor),
        sortKey: getSearchData(monitor).sortKey,
      })
      continue
    }
    const siblings = monitorsByWebsite.get(id)
    if (siblings === undefined) monitorsByWebsite.set(id, [monitor])
    else siblings.push(monitor)
  }
  for (const website of websites) {
    const websiteMonitors = (monitorsByWebsite.get(website.id) ?? []).sort(compareByName)
    const monitor = findMainMonitor(websiteMonitors, website.domain)
    groups.push({
      website,
      monitor,
      otherMonitors: websiteMonitors.filter((other) => other !== monitor),
      downSince: websiteMonitors.map(getDownSince).reduce(pickLater, ''),
      sortKey: getSearchData(website).sortKey,
    })
  }
  return groups.sort(compareByPriority)
}

/** Prefers HTTP monitors to pings, then short URLs: the home page before deeper pages. */
function findMainMonitor(monitors: readonly OverviewMonitor[], domain: string): OverviewMonitor | undefined {
  const rank = ({ type, url, id }: OverviewMonitor) => (type === 'http' ? 0 : 1e9) + url.length * 1e5 + (id % 1e5)
  let best: OverviewMonitor | undefined
  for (const monitor of monitors) {
    if (getComparableHost(monitor.url) === domain && (best === undefined || rank(monitor) < rank(best))) best = monitor
  }
  return best
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

const getDownSince = ({ status, status_changed_at }: OverviewMonitor) => (status === 'down' ? status_changed_at : '')
const pickLater = (a: string, b: string) => (a > b ? a : b)

function compareByName(a: OverviewMonitor, b: OverviewMonitor): number {
  return compareText(getSearchData(a).sortKey, getSearchData(b).sortKey) || a.id - b.id
}

/**
 * Sorts groups with a monitor that is down before all others, then favorites before other groups, then newer incidents before
 * older ones, because the user may not have seen the newest yet, and then by name.
 */
function compareByPriority(a: RowGroup, b: RowGroup): number {
  const isDown = a.downSince !== ''
  if (isDown !== (b.downSince !== '')) return isDown ? -1 : 1
  const isFavorite = a.website?.favorite ?? false
  if (isFavorite !== (b.website?.favorite ?? false)) return isFavorite ? -1 : 1
  return (
    compareText(b.downSince, a.downSince) ||
    compareText(a.sortKey, b.sortKey) ||
    (a.monitor?.id ?? 0) - (b.monitor?.id ?? 0)
  )
}

/** A row matches if every word of the query is in the domain of its website or in the name or URL of its monitor. */
export function filterRows(groups: readonly RowGroup[], query: string, filter: RowFilter): OverviewRow[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const matches = (...records: readonly (OverviewWebsite | OverviewMonitor | undefined)[]) =>
    words.every((word) =>
      records.some((record) => record !== undefined && getSearchData(record).searchText.includes(word)),
    )
  const matchesStatus = (monitor: OverviewMonitor) => filter !== 'down' || monitor.status === 'down'

  if (filter === 'monitors') {
    const monitors = groups.flatMap(({ monitor, otherMonitors }) =>
      monitor ? [monitor, ...otherMonitors] : otherMonitors,
    )
    return monitors
      .filter((monitor) => matches(monitor))
      .sort((a, b) => compareText(getDownSince(b), getDownSince(a)) || compareByName(a, b))
      .map((monitor) => toMonitorRow(monitor, false))
  }

  const rows: OverviewRow[] = []
  for (const { website, monitor, otherMonitors } of groups) {
    if (website === undefined) {
      if (monitor && filter !== 'websites' && matchesStatus(monitor) && matches(monitor)) {
        rows.push(toMonitorRow(monitor, false))
      }
      continue
    }
    const isWebsiteShown = (filter !== 'down' || monitor?.status === 'down') && matches(website, monitor)
    if (isWebsiteShown) rows.push({ kind: 'website', key: `w${website.id}`, website, monitor })
    if (filter === 'websites') continue
    for (const other of otherMonitors) {
      if (matchesStatus(other) && matches(other)) rows.push(toMonitorRow(other, isWebsiteShown))
    }
  }
  return rows
}

function toMonitorRow(monitor: OverviewMonitor, isIndented: boolean): MonitorRowData {
  return { kind: 'monitor', key: `m${monitor.id}`, monitor, isIndented }
}
