/** Numbers as people read them. Nothing is made before it is needed: a formatter takes megabytes, and most servers write no words. */

export const formatCount = (count: number) => count.toLocaleString('en')
/** Where there is little room: 12.3K. */
export const formatCompact = (count: number) =>
  count.toLocaleString('en', { notation: 'compact', maximumFractionDigits: 1 })
