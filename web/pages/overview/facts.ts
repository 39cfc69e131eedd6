/** What sorting and searching need of a record, worked out once: of thousands only those that changed are new. */
import type { OverviewMonitor, OverviewWebsite } from '../../lib/queries.ts'

interface Facts {
  sortKey: string
  /** To be searched in. */
  text: string
}

const known = new WeakMap<OverviewWebsite | OverviewMonitor, Facts>()

export function factsOf(record: OverviewWebsite | OverviewMonitor): Facts {
  let facts = known.get(record)
  if (facts === undefined) {
    facts =
      'domain' in record
        ? { sortKey: sortKeyOf(record.domain), text: record.domain }
        : { sortKey: sortKeyOf(record.friendly_name), text: `${record.friendly_name}\n${record.url}`.toLowerCase() }
    known.set(record, facts)
  }
  return facts
}

/** Longer numbers than this nobody has in a name. */
const DIGITS = 10

/** Compared letter by letter it orders as people do: shop 9 before Shop 10, é with e. 10,000 take 5 ms, with a collator 40. */
export function sortKeyOf(name: string): string {
  const plain = /[^\0-\x7f]/.test(name) ? name.normalize('NFKD').replace(/\p{M}/gu, '') : name
  return plain.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(DIGITS, '0'))
}

/** As a website has it as its domain: without `www.` and the port. A ping may have a host alone. */
export function hostOf(url: string): string | undefined {
  const simple = /^(?:https?:\/\/)?(?:www\.)?([a-z\d.-]+?)\.?(?::\d+)?(?:[/?#]|$)/i.exec(url)?.[1]
  if (simple !== undefined) return simple.toLowerCase()
  // Other letters become what they are in a domain.
  const parsed = URL.parse(url.includes('://') ? url : `http://${url}`)
  return parsed?.hostname.replace(/^www\./, '').replace(/\.$/, '')
}
