/** The icon of the browser's tab shows the state of the page by color and shape. */

export const stateTones = ['good', 'bad', 'warn', 'info', 'idle'] as const
export type StateTone = (typeof stateTones)[number]

/** The colors are readable on light and dark tabs. The shapes are white, in a box of 32 × 32. */
const iconsByTone: Record<StateTone, { color: string; shape: string }> = {
  good: { color: '#1ba65c', shape: 'm9.5 16.5 4.5 4.5 9-9.5' },
  bad: { color: '#df343a', shape: 'm11 11 10 10m0-10-10 10' },
  warn: { color: '#c27f06', shape: 'M16 8v10m0 5v.1' },
  info: { color: '#2f6fd0', shape: 'M16 14v10m0-15v.1' },
  idle: { color: '#85859b', shape: 'M10 16h12' },
}

export function toIconUrl(tone: StateTone): string {
  const { color, shape } = iconsByTone[tone]
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="15" fill="${color}"/><path d="${shape}" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/></svg>`
  return `data:image/svg+xml,${svg.replaceAll('"', "'").replaceAll('#', '%23').replaceAll('<', '%3C').replaceAll('>', '%3E')}`
}
