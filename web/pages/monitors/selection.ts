/** Which rows are chosen, by id: they stay chosen while a search hides them, but only what is shown is acted on. */
export type Selection = ReadonlySet<number>

export function setChosen(selection: Selection, ids: Iterable<number>, isChosen: boolean): Selection {
  const next = new Set(selection)
  for (const id of ids) {
    if (isChosen) next.add(id)
    else next.delete(id)
  }
  return next
}

/** From the row that was touched last to this one, whichever is above; only this one where that row is gone. */
export function rangeOf(shown: readonly number[], from: number | undefined, to: number): number[] {
  const end = shown.indexOf(to)
  const begin = from === undefined ? -1 : shown.indexOf(from)
  if (begin === -1 || end === -1) return [to]
  return shown.slice(Math.min(begin, end), Math.max(begin, end) + 1)
}
