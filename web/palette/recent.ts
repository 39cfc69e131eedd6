/** The items that the user chose last, the latest first. Stored in the browser, per user. */
import { boot } from '../lib/boot.ts'

const MAX_RECENT_ITEMS = 12
const storageKey = `belfry-palette-${boot.user?.id}`

export function readRecentIds(): string[] {
  try {
    const ids: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string').slice(0, MAX_RECENT_ITEMS) : []
  } catch {
    // The browser may block localStorage.
    return []
  }
}

export function addRecentId(id: string): void {
  const ids = [id, ...readRecentIds().filter((other) => other !== id)].slice(0, MAX_RECENT_ITEMS)
  try {
    localStorage.setItem(storageKey, JSON.stringify(ids))
  } catch {}
}
