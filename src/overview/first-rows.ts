/** Chooses the rows at the top of the overview, which the server sends before all others. */
import { findWebsiteIds } from '../impact/history/website-store.ts'
import {
  buildSortKey,
  compareGroups,
  compareText,
  findMainMonitor,
  type RankedGroup,
} from '../shared/overview-order.ts'
import type { MonitorOrderData } from './store.ts'
import type { WebsiteName } from './websites-store.ts'

export interface FirstRows {
  websiteIds: number[]
  monitorIds: number[]
  /** Whether these are all websites and monitors of the user. */
  isComplete: boolean
}

interface Group extends RankedGroup {
  website: WebsiteName | undefined
  /** Indexes of the group's monitors in `MonitorOrderData`. */
  monitors: number[]
}

export function chooseFirstRows(
  websites: readonly WebsiteName[],
  orderData: MonitorOrderData,
  limit: number,
): FirstRows {
  const isComplete = websites.length + orderData.ids.length <= limit
  if (isComplete) return { websiteIds: websites.map(({ id }) => id), monitorIds: orderData.ids, isComplete }
  const firstRows: FirstRows = { websiteIds: [], monitorIds: [], isComplete }
  let remaining = limit
  for (const { website, monitors } of groupMonitors(websites, orderData).sort(compareGroups)) {
    if (remaining <= 0) break
    if (website !== undefined) firstRows.websiteIds.push(website.id)
    const chosenMonitors = sortMonitors(monitors, orderData, website).slice(0, remaining)
    firstRows.monitorIds.push(...chosenMonitors.map((index) => orderData.ids[index] as number))
    remaining -= Math.max(1, chosenMonitors.length)
  }
  return firstRows
}

function groupMonitors(websites: readonly WebsiteName[], orderData: MonitorOrderData): Group[] {
  const groups: Group[] = []
  const groupsByWebsite = new Map<number, Group>()
  for (const website of websites) {
    const { id, domain, favorite } = website
    const group = {
      website,
      monitors: [],
      wentDownAt: 0,
      isFavorite: favorite,
      sortKey: buildSortKey(domain),
      monitorId: 0,
    }
    groups.push(group)
    groupsByWebsite.set(id, group)
  }
  const websiteIds = findWebsiteIds(orderData.urls, orderData.types, websites)
  for (const [index, id] of orderData.ids.entries()) {
    const wentDownAt = orderData.wentDownAt.get(id) ?? 0
    const group = groupsByWebsite.get(websiteIds[index] ?? 0)
    if (group !== undefined) {
      group.monitors.push(index)
      group.wentDownAt = Math.max(group.wentDownAt, wentDownAt)
      continue
    }
    const sortKey = buildSortKey(orderData.names[index] as string)
    groups.push({ website: undefined, monitors: [index], wentDownAt, isFavorite: false, sortKey, monitorId: id })
  }
  return groups
}

/** The main monitor comes first, because it shares the row of its website. */
function sortMonitors(
  indexes: readonly number[],
  orderData: MonitorOrderData,
  website: WebsiteName | undefined,
): number[] {
  if (website === undefined) return [...indexes]
  const monitors = indexes.map((index) => ({
    index,
    id: orderData.ids[index] as number,
    url: orderData.urls[index] as string,
    type: orderData.types[index] ?? 'http',
    sortKey: buildSortKey(orderData.names[index] as string),
  }))
  const main = findMainMonitor(monitors, website.domain)
  const isOther = (monitor: object) => (monitor === main ? 0 : 1)
  return monitors
    .sort((a, b) => isOther(a) - isOther(b) || compareText(a.sortKey, b.sortKey) || a.id - b.id)
    .map(({ index }) => index)
}
