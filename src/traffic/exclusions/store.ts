/** SQL of the pages that a query belongs to. */
import { askAnew } from '../../storage/ask.ts'
import type { Queries } from '../../storage/client.ts'
import { valueKinds } from '../model/dimensions.ts'

interface Page {
  id: number
  value: string
}

/** Of these, those that have a query, be it behind a `#`. */
export async function findPagesWithQuery(q: Queries, websiteId: number, ids: readonly number[]): Promise<Page[]> {
  const [found] = await askAnew(q, {
    text: `select id, value from traffic_values where website_id = $1 and id = any ($2) and position('?' in value) > 0`,
    values: [websiteId, ids],
  })
  return (found?.rows ?? []) as Page[]
}

export async function findPages(q: Queries, websiteId: number, values: readonly string[]): Promise<Page[]> {
  return q.query<Page>(
    'select id, value from traffic_values where website_id = $1 and kind = $2 and value = any ($3)',
    [websiteId, valueKinds.page, values],
  )
}
