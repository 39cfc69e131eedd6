/** Reads websites with their visitors per day, where each website has its own time zone. */
import { addMs } from '../lib/clock.ts'
import { addDays, countDays, localDayAt } from '../lib/local-day.ts'
import type { Queries } from '../storage/client.ts'
import { VISITORS_NOW_WINDOW_MS } from '../traffic/stats/statistics.ts'
import type { OverviewWebsiteRecord } from './schema.ts'
import { readOverviewWebsites, type StoredOverviewWebsite } from './websites-store.ts'

/** Today in a website's time zone can be one day before or after today in UTC. */
const EXTRA_DAYS = 2

/** Reads the visitors of the last `dayCount` days, today last. Without `ids`, reads all websites. */
export async function readWebsitesWithVisitors(
  q: Queries,
  now: Date,
  dayCount: number,
  ids: readonly number[] | null = null,
): Promise<OverviewWebsiteRecord[]> {
  const firstDay = addDays(now.toISOString().slice(0, 10), 1 - dayCount - EXTRA_DAYS)
  const websites = await readOverviewWebsites(q, firstDay, addMs(now, -VISITORS_NOW_WINDOW_MS), ids)
  return alignDays(websites, { firstDay, dayCount, now: now.getTime() })
}

function alignDays(
  websites: readonly StoredOverviewWebsite[],
  { firstDay, dayCount, now }: { firstDay: string; dayCount: number; now: number },
): OverviewWebsiteRecord[] {
  /** Index of the website's today, counted from `firstDay`. */
  const todayIndexesByZone = new Map<string, number>()
  const findTodayIndex = (zone: string) => countDays(firstDay, localDayAt(zone, now).day) - 1
  return websites.map(({ days, visitors: counts, ...website }) => {
    const todayIndex = todayIndexesByZone.getOrInsertComputed(website.time_zone, findTodayIndex)
    const visitors: number[] = new Array(dayCount).fill(0)
    for (const [index, dayIndex] of days.entries()) {
      const position = dayIndex - todayIndex + dayCount - 1
      if (position >= 0 && position < dayCount) visitors[position] = counts[index] as number
    }
    return { ...website, visitors_today: visitors[dayCount - 1] as number, visitors }
  })
}
