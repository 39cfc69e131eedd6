/** The order of all rows of the overview, which is remembered until the user changes a website or a monitor. */
import { findWebsiteIds } from '../impact/history/website-store.ts'
import { BoundedMap } from '../lib/bounded-map.ts'
import type { MonitorType } from '../shared/monitors.ts'
import {
  buildSortKey,
  compareGroups,
  compareText,
  findMainMonitor,
  type RankedGroup,
} from '../shared/overview-order.ts'
import type { WebsiteName } from './websites-store.ts'

/** Entries with the same index belong to the same monitor. */
export interface MonitorNames {
  ids: number[]
  names: string[]
  urls: string[]
  types: MonitorType[]
}

/** A group is a website with its monitors, or a monitor without a website. */
export interface RowOrder {
  /** While the user's list has this version, this is the order of its rows. See `readListState`. */
  version: string
  /** The website of each group, or 0. If no monitor is down, the groups are in this order. */
  websiteIds: Float64Array
  /** The first groups are favorites. */
  favoriteCount: number
  /** The monitors of all groups, in the order of the groups and, inside a group, in the order of its rows. */
  monitorIds: Float64Array
  /** The index in `monitorIds` of each group's first monitor, followed by the number of monitors. */
  monitorStarts: Uint32Array
}

/** The order of 10,000 monitors takes about 100 KB. */
const MAX_REMEMBERED_ORDERS = 100

/** The order of the rows of each team that has more rows than fit into the first response. */
export const createRowOrderCache = () => new BoundedMap<number, RowOrder>(MAX_REMEMBERED_ORDERS)

interface Group extends RankedGroup {
  website: WebsiteName | undefined
  /** Indexes of the group's monitors in `MonitorNames`. */
  monitors: number[]
}

export function computeRowOrder(version: string, websites: readonly WebsiteName[], monitors: MonitorNames): RowOrder {
  const groups = groupMonitors(websites, monitors).sort(compareGroups)
  const monitorIds = new Float64Array(monitors.ids.length)
  const monitorStarts = new Uint32Array(groups.length + 1)
  let monitorCount = 0
  for (const [index, { website, monitors: indexes }] of groups.entries()) {
    monitorStarts[index] = monitorCount
    for (const monitor of sortMonitors(indexes, monitors, website)) {
      monitorIds[monitorCount++] = monitors.ids[monitor] as number
    }
  }
  monitorStarts[groups.length] = monitorCount
  const websiteIds = Float64Array.from(groups, ({ website }) => website?.id ?? 0)
  const favoriteCount = groups.filter(({ isFavorite }) => isFavorite).length
  return { version, websiteIds, favoriteCount, monitorIds, monitorStarts }
}

/** `wentDownAt` is 0, because outages begin and end without a change of the version. */
function groupMonitors(websites: readonly WebsiteName[], monitors: MonitorNames): Group[] {
  const groups: Group[] = []
  const groupsByWebsite = new Map<number, Group>()
  for (const website of websites) {
    const { id, domain, favorite } = website
    const sortKey = buildSortKey(domain)
    const group = { website, monitors: [], wentDownAt: 0, isFavorite: favorite, sortKey, monitorId: 0 }
    groups.push(group)
    groupsByWebsite.set(id, group)
  }
  const websiteIds = findWebsiteIds(monitors.urls, monitors.types, websites)
  for (const [index, monitorId] of monitors.ids.entries()) {
    const group = groupsByWebsite.get(websiteIds[index] ?? 0)
    if (group !== undefined) {
      group.monitors.push(index)
      continue
    }
    const sortKey = buildSortKey(monitors.names[index] as string)
    groups.push({ website: undefined, monitors: [index], wentDownAt: 0, isFavorite: false, sortKey, monitorId })
  }
  return groups
}

/** The main monitor comes first, because it shares the row of its website. */
function sortMonitors(
  indexes: readonly number[],
  { ids, names, urls, types }: MonitorNames,
  website: WebsiteName | undefined,
): number[] {
  if (website === undefined) return [...indexes]
  const monitors = indexes.map((index) => ({
    index,
    id: ids[index] as number,
    url: urls[index] as string,
    type: types[index] ?? 'http',
    sortKey: buildSortKey(names[index] as string),
  }))
  const main = findMainMonitor(monitors, website.domain)
  const isOther = (monitor: object) => (monitor === main ? 0 : 1)
  return monitors
    .sort((a, b) => isOther(a) - isOther(b) || compareText(a.sortKey, b.sortKey) || a.id - b.id)
    .map(({ index }) => index)
}
