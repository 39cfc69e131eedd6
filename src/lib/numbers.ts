/** Numbers as people read them. */

const whole = new Intl.NumberFormat('en')
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

export const formatCount = (count: number) => whole.format(count)
/** Where there is little room: 12.3K. */
export const formatCompact = (count: number) => compact.format(count)
