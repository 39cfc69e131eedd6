/** Which rows the overview shows, and in what order. A website and its monitors form a group that stays together. */
import {
  buildSortKey,
  compareGroups,
  compareText,
  findMainMonitor,
  type RankedGroup,
} from '../../../src/shared/overview-order.ts'
import { toDisplayHost } from '../../lib/address.ts'
import type { OverviewMonitor, OverviewWebsite } from '../../lib/queries.ts'
import { hasAllTags, mergeTags } from '../../lib/tags.ts'

export interface WebsiteRowData {
  kind: 'website'
  key: string
  website: OverviewWebsite
  /** The main monitor of the website's host, shown in the same row. */
  monitor: OverviewMonitor | undefined
  /** The website's other monitors, whether or not they are shown. */
  otherMonitors: readonly OverviewMonitor[]
  /** Whether `otherMonitors` are hidden because the user has collapsed the group. */
  isCollapsed: boolean
}

export interface MonitorRowData {
  kind: 'monitor'
  key: string
  monitor: OverviewMonitor
  /** Whether the row is shown below the row of its website. */
  isIndented: boolean
}

export type OverviewRow = WebsiteRowData | MonitorRowData

/**
 * Lists the tags that a row shows, and by which it can be filtered. A website and its main monitor share a row, which
 * has the tags of both.
 */
export function listRowTags(row: Pick<WebsiteRowData, 'website' | 'monitor'> | Pick<MonitorRowData, 'monitor'>) {
  const monitorTags = row.monitor?.tags ?? []
  if (!('website' in row) || row.website.tags.length === 0) return monitorTags
  return monitorTags.length === 0 ? row.website.tags : mergeTags(row.website.tags, monitorTags)
}

export interface RowGroup extends RankedGroup {
  /** Undefined for a monitor without a website. */
  website: OverviewWebsite | undefined
  /** The main monitor of the website, or the monitor without a website. */
  monitor: OverviewMonitor | undefined
  /** Sorted by name. */
  otherMonitors: readonly OverviewMonitor[]
}

export const rowFilters = ['all', 'up', 'down', 'paused', 'websites', 'monitors'] as const
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
        wentDownAt: getWentDownAt(monitor),
        isFavorite: false,
        sortKey: getSearchData(monitor).sortKey,
        monitorId: monitor.id,
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
      wentDownAt: websiteMonitors.reduce((latest, other) => Math.max(latest, getWentDownAt(other)), 0),
      isFavorite: website.favorite,
      sortKey: getSearchData(website).sortKey,
      monitorId: 0,
    })
  }
  return groups.sort(compareGroups)
}

const getWentDownAt = ({ status, status_changed_at }: OverviewMonitor) =>
  status === 'down' ? Date.parse(status_changed_at) : 0

function compareByName(a: OverviewMonitor, b: OverviewMonitor): number {
  return compareText(getSearchData(a).sortKey, getSearchData(b).sortKey) || a.id - b.id
}

const statusFilters: readonly RowFilter[] = ['up', 'down', 'paused']

interface RowOptions {
  /** The ids of websites whose groups are collapsed. */
  collapsedIds?: ReadonlySet<number>
  /** A row must have all of these tags. */
  tags?: readonly string[]
}

/**
 * A row matches if every word of the query is in the domain of its website or in the name or URL of its monitor. With a
 * query or a filter, collapsed groups are expanded, so that no match is hidden.
 */
export function filterRows(
  groups: readonly RowGroup[],
  query: string,
  filter: RowFilter,
  { collapsedIds = new Set(), tags = [] }: RowOptions = {},
): OverviewRow[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const matches = (...records: readonly (OverviewWebsite | OverviewMonitor | undefined)[]) =>
    words.every((word) =>
      records.some((record) => record !== undefined && getSearchData(record).searchText.includes(word)),
    )
  const isStatusFilter = statusFilters.includes(filter)
  const matchesStatus = (monitor: OverviewMonitor | undefined) =>
    !isStatusFilter || (monitor?.status === filter && !monitor.is_sample)
  const canCollapse = filter === 'all' && words.length === 0 && tags.length === 0

  if (filter === 'monitors') {
    const monitors = groups.flatMap(({ monitor, otherMonitors }) =>
      monitor ? [monitor, ...otherMonitors] : otherMonitors,
    )
    return monitors
      .filter((monitor) => matches(monitor) && hasAllTags(monitor.tags, tags))
      .sort((a, b) => getWentDownAt(b) - getWentDownAt(a) || compareByName(a, b))
      .map((monitor) => toMonitorRow(monitor, false))
  }

  const isMonitorShown = (monitor: OverviewMonitor) =>
    matchesStatus(monitor) && matches(monitor) && hasAllTags(monitor.tags, tags)
  const rows: OverviewRow[] = []
  for (const { website, monitor, otherMonitors } of groups) {
    if (website === undefined) {
      if (monitor && filter !== 'websites' && isMonitorShown(monitor)) {
        rows.push(toMonitorRow(monitor, false))
      }
      continue
    }
    const isWebsiteShown =
      matchesStatus(monitor) && matches(website, monitor) && hasAllTags(listRowTags({ website, monitor }), tags)
    const isCollapsed = canCollapse && otherMonitors.length > 0 && collapsedIds.has(website.id)
    if (isWebsiteShown)
      rows.push({ kind: 'website', key: `w${website.id}`, website, monitor, otherMonitors, isCollapsed })
    if (filter === 'websites' || isCollapsed) continue
    for (const other of otherMonitors) {
      if (isMonitorShown(other)) rows.push(toMonitorRow(other, isWebsiteShown))
    }
  }
  return rows
}

function toMonitorRow(monitor: OverviewMonitor, isIndented: boolean): MonitorRowData {
  return { kind: 'monitor', key: `m${monitor.id}`, monitor, isIndented }
}

interface SearchData {
  sortKey: string
  /** In lower case. */
  searchText: string
}

/** Sort keys and search texts. A live update replaces only changed records; the data of all others stays cached. */
const searchDataCache = new WeakMap<OverviewWebsite | OverviewMonitor, SearchData>()

function getSearchData(record: OverviewWebsite | OverviewMonitor): SearchData {
  let data = searchDataCache.get(record)
  if (data === undefined) {
    data =
      'domain' in record
        ? { sortKey: buildSortKey(record.domain), searchText: `${record.domain}\n${toDisplayHost(record.domain)}` }
        : {
            sortKey: buildSortKey(record.friendly_name),
            searchText: `${record.friendly_name}\n${record.url}`.toLowerCase(),
          }
    searchDataCache.set(record, data)
  }
  return data
}
