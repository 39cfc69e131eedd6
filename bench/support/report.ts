export function median(values: readonly number[]): number {
  const sortedValues = [...values].sort((a, b) => a - b)
  return sortedValues[Math.floor(sortedValues.length / 2)] ?? 0
}

/** Prints what we promise about performance, the measured value, and whether the promise holds. */
export function reportPerformancePromise(text: string, measuredText: string, isKept: boolean): boolean {
  console.log(`${isKept ? 'holds ' : 'BROKEN'}  ${text}: ${measuredText}`)
  return isKept
}
