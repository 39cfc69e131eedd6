import { expect } from 'vitest'
import type { QueryRows } from '../support/recount.ts'
import { openStoredTraffic } from '../support/stored-traffic.ts'
import type { Visitors } from './visitors.ts'

/** Expects every acknowledged event to be stored once and rolled up, and no other event more than once. */
export async function expectEventsStoredOnce(
  queryRows: QueryRows,
  { sentPages, acknowledgedPages }: Visitors,
  message: string,
): Promise<void> {
  const queryTraffic = await openStoredTraffic(queryRows)
  const rows = await queryTraffic<{ page: string; count: number }>(
    `select v.value as page, count(*)::int as count from all_events e
       join traffic_values v on v.website_id = e.website_id and v.id = e.page group by 1`,
  )
  const countsByPage = new Map(rows.map(({ page, count }) => [page, count]))
  const lostPages = [...acknowledgedPages].filter((page) => !countsByPage.has(page))
  expect(lostPages, message).toEqual([])
  const wrongPages = [...countsByPage].filter(([page, count]) => count !== 1 || !sentPages.has(page))
  expect(wrongPages, message).toEqual([])
  expect(await queryRows('select id, fault from event_inbox'), message).toEqual([])
}
