/** Returns 1 for each of `ids` that is also in `selectedIds`, and 0 for the others. Both are in ascending order. */
export function markVisitors(ids: Float64Array, selectedIds: Float64Array): Uint8Array {
  const marks = new Uint8Array(ids.length)
  let next = 0
  for (let visitor = 0; visitor < ids.length; visitor++) {
    const id = ids[visitor] as number
    while (next < selectedIds.length && (selectedIds[next] as number) < id) next++
    if (selectedIds[next] === id) marks[visitor] = 1
  }
  return marks
}
