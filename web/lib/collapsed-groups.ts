/** Which groups of the overview are collapsed. Stored in the browser. */
const STORAGE_KEY = 'belfry-collapsed-groups'

/** IDs of websites whose other monitors are hidden. */
export type CollapsedIds = ReadonlySet<number>

export function readCollapsedIds(): CollapsedIds {
  try {
    const ids: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]')
    return new Set(Array.isArray(ids) ? ids.filter((id) => typeof id === 'number') : [])
  } catch {
    return new Set()
  }
}

export function saveCollapsedIds(ids: CollapsedIds): void {
  try {
    if (ids.size === 0) localStorage.removeItem(STORAGE_KEY)
    else localStorage.setItem(STORAGE_KEY, JSON.stringify([...ids]))
  } catch {}
}
