/** IDs of the selected monitors. They stay selected while a search hides them, but actions apply only to visible rows. */
export type SelectedIds = ReadonlySet<number>

export function withSelected(selection: SelectedIds, ids: Iterable<number>, isSelected: boolean): SelectedIds {
  const next = new Set(selection)
  for (const id of ids) {
    if (isSelected) next.add(id)
    else next.delete(id)
  }
  return next
}

/**
 * Lists all IDs from `from` to `to` in the order of the list. `to` can come before `from`. Returns only `to` if `from`
 * isn't in the list.
 */
export function listIdsBetween(shownIds: readonly number[], from: number | undefined, to: number): number[] {
  const end = shownIds.indexOf(to)
  const start = from === undefined ? -1 : shownIds.indexOf(from)
  if (start === -1 || end === -1) return [to]
  return shownIds.slice(Math.min(start, end), Math.max(start, end) + 1)
}
