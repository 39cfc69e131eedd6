export function median(values: readonly number[]): number {
  const sortedValues = [...values].sort((a, b) => a - b)
  return sortedValues[Math.floor(sortedValues.length / 2)] ?? 0
}

/** The mean of the values between the quartiles. Outliers hardly affect it, and it varies less between runs than the median. */
export function interquartileMean(values: readonly number[]): number {
  const quarter = Math.floor(values.length / 4)
  const middleHalf = values.toSorted((a, b) => a - b).slice(quarter, values.length - quarter)
  return middleHalf.reduce((sum, value) => sum + value, 0) / middleHalf.length
}

/** Prints what we promise about performance, the measured value, and whether the promise holds. */
export function reportPerformancePromise(text: string, measuredText: string, isKept: boolean): boolean {
  console.log(`${isKept ? 'holds ' : 'BROKEN'}  ${text}: ${measuredText}`)
  return isKept
}
