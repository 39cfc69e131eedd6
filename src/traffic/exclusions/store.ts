/** SQL that reads pages for a preview of ignored URL parameters. */

import { queryWithFreshPlan } from '../../storage/statements.ts'
import type { Queries } from '../../storage/transaction.ts'
import { dimensionTable } from '../model/dimensions.ts'

interface StoredPage {
  id: number
  value: string
}

/** Returns the given pages that have a query string, before or after a `#`. */
export async function findPagesWithQueryString(
  q: Queries,
  websiteId: number,
  ids: readonly number[],
): Promise<StoredPage[]> {
  const [result] = await queryWithFreshPlan(q, {
    text: `select id, value
             from traffic_values
            where website_id = $1 and id = any ($2) and position('?' in value) > 0`,
    values: [websiteId, ids],
  })
  return (result?.rows ?? []) as StoredPage[]
}

export async function findStoredPages(q: Queries, websiteId: number, values: readonly string[]): Promise<StoredPage[]> {
  return q.query<StoredPage>(
    `select id, value
       from traffic_values
      where website_id = $1 and kind = $2 and value = any ($3)`,
    [websiteId, dimensionTable.page.kind, values],
  )
}
