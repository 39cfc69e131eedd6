export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/** A promise, what was seen, and whether it holds. */
export function promise(text: string, seen: string, holds: boolean): boolean {
  console.log(`${holds ? 'holds ' : 'BROKEN'}  ${text}: ${seen}`)
  return holds
}
