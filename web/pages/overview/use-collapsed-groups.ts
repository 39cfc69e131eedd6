import { useState } from 'preact/hooks'
import { type CollapsedIds, readCollapsedIds, saveCollapsedIds } from '../../lib/collapsed-groups.ts'

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
