/** Which groups of the overview are collapsed. Stored in the browser. */
import { useState } from 'preact/hooks'

const STORAGE_KEY = 'belfry-collapsed-groups'

/** IDs of websites whose other monitors are hidden. */
export type CollapsedIds = ReadonlySet<number>

function readCollapsedIds(): CollapsedIds {
  try {
    const ids: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]')
    return new Set(Array.isArray(ids) ? ids.filter((id) => typeof id === 'number') : [])
  } catch {
    return new Set()
  }
}

function saveCollapsedIds(ids: CollapsedIds): void {
  try {
    if (ids.size === 0) localStorage.removeItem(STORAGE_KEY)
    else localStorage.setItem(STORAGE_KEY, JSON.stringify([...ids]))
  } catch {}
}

export interface CollapsedGroups {
  ids: CollapsedIds
  toggle: (websiteId: number) => void
  /** Collapses exactly these groups. */
  set: (websiteIds: Iterable<number>) => void
}

export function useCollapsedGroups(): CollapsedGroups {
  const [ids, setIds] = useState(readCollapsedIds)
  const save = (next: CollapsedIds) => {
    saveCollapsedIds(next)
    setIds(next)
  }
  return {
    ids,
    toggle: (websiteId) => {
      const next = new Set(ids)
      if (!next.delete(websiteId)) next.add(websiteId)
      save(next)
    },
    set: (websiteIds) => save(new Set(websiteIds)),
  }
}
