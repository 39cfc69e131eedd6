/** Finds what somebody probably meant by a misspelled word. */

/** Returns the candidate with the fewest typing errors, or undefined if none is close enough. Ignores case. */
export function findClosest<T extends string>(text: string, candidates: readonly T[]): T | undefined {
  const maxDistance = Math.min(3, Math.floor(text.length / 3))
  const [closest] = candidates
    .filter((candidate) => Math.abs(candidate.length - text.length) <= maxDistance)
    .map((candidate) => ({ candidate, distance: countTypingErrors(text.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= maxDistance)
    .sort((a, b) => a.distance - b.distance)
  return closest?.candidate
}

/** Counts missing, additional, wrong and swapped characters (the "optimal string alignment" distance). */
function countTypingErrors(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= a.length; row++) {
    rows.push([row])
    for (let column = 1; column <= b.length; column++) {
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1),
          isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
  }
  return at(a.length, b.length)
}
