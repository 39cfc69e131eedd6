export function median(values: readonly number[]): number {
  const sortedValues = [...values].sort((a, b) => a - b)
  return sortedValues[Math.floor(sortedValues.length / 2)] ?? 0
}

/** Prints what we promise about performance, the measured value, and whether the promise holds. */
export function reportPerformancePromise(text: string, measured: string, holds: boolean): boolean {
  console.log(`${holds ? 'holds ' : 'BROKEN'}  ${text}: ${measured}`)
  return holds
}
