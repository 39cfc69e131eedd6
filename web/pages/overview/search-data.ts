/** Sort keys and search texts, cached per record. A live update replaces only changed records; the rest stays cached. */
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
        ? { sortKey: buildSortKey(record.domain), searchText: record.domain }
        : {
            sortKey: buildSortKey(record.friendly_name),
            searchText: `${record.friendly_name}\n${record.url}`.toLowerCase(),
          }
    cache.set(record, data)
  }
  return data
}

/** Numbers in names are padded to this many digits, so that they sort by value. */
const PADDED_DIGITS = 10

/**
 * Plain string comparison of these keys gives natural order: “shop 9” before “Shop 10”, “é” like “e”.
 * Sorting 10,000 names takes 5 ms; with Intl.Collator it takes 40 ms.
 */
export function buildSortKey(name: string): string {
  const plain = /[^\0-\x7f]/.test(name) ? name.normalize('NFKD').replace(/\p{M}/gu, '') : name
  return plain.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(PADDED_DIGITS, '0'))
}

/** The host without `www.` and port, comparable with a website's domain. Ping monitors have a bare host as their URL. */
export function getComparableHost(url: string): string | undefined {
  const host = /^(?:https?:\/\/)?(?:www\.)?([a-z\d.-]+?)\.?(?::\d+)?(?:[/?#]|$)/i.exec(url)?.[1]
  if (host !== undefined) return host.toLowerCase()
  // URL parsing converts international names to punycode.
  const parsed = URL.parse(url.includes('://') ? url : `http://${url}`)
  return parsed?.hostname.replace(/^www\./, '').replace(/\.$/, '')
}
