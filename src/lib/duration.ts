/** How long something took, for people: its two largest units. */

const units = [
  { ms: 86_400_000, one: 'day', many: 'days' },
  { ms: 3_600_000, one: 'h', many: 'h' },
  { ms: 60_000, one: 'min', many: 'min' },
  { ms: 1_000, one: 's', many: 's' },
] as const

/** "5 min 12 s", "3 h", "2 days 4 h"; what is left over is dropped. */
export function formatDuration(ms: number): string {
  const found = units.findIndex((unit) => ms >= unit.ms)
  const first = found === -1 ? units.length - 1 : found
  let left = Math.max(0, ms)
  const parts = units.slice(first, first + 2).map(({ ms: unitMs, one, many }) => {
    const count = Math.floor(left / unitMs)
    left -= count * unitMs
    return { count, text: `${count} ${count === 1 ? one : many}` }
  })
  return parts
    .filter(({ count }, index) => index === 0 || count > 0)
    .map(({ text }) => text)
    .join(' ')
}
