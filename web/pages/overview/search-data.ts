/** Sort keys and search texts, cached per record. A live update replaces only changed records; the rest stays cached. */
import { buildSortKey } from '../../../src/shared/overview-order.ts'
import { toDisplayHost } from '../../lib/address.ts'
import type { OverviewMonitor, OverviewWebsite } from '../../lib/queries.ts'

interface SearchData {
  sortKey: string
  /** Lower case. */
  searchText: string
}

const cache = new WeakMap<OverviewWebsite | OverviewMonitor, SearchData>()

export function getSearchData(record: OverviewWebsite | OverviewMonitor): SearchData {
  let data = cache.get(record)
  if (data === undefined) {
    data =
      'domain' in record
        ? { sortKey: buildSortKey(record.domain), searchText: `${record.domain}\n${toDisplayHost(record.domain)}` }
        : {
            sortKey: buildSortKey(record.friendly_name),
            searchText: `${record.friendly_name}\n${record.url}`.toLowerCase(),
          }
    cache.set(record, data)
  }
  return data
}
