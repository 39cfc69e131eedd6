/**
 * The icon of the browser's tab shows the state of the page by color and shape: a badge on Belfry's mark, or only the badge if the page has
 * a logo of its own.
 */
import type { StateTone } from '../../shared/page-states.ts'
import { markColors, markPaths } from './mark.ts'

/** The colors are readable on light and dark tabs. The shapes are white, in a box of 32 × 32. */
const iconsByTone: Record<StateTone, { color: string; shape: string }> = {
  good: { color: '#1ba65c', shape: 'm9.5 16.5 4.5 4.5 9-9.5' },
  bad: { color: '#df343a', shape: 'm11 11 10 10m0-10-10 10' },
  warn: { color: '#c27f06', shape: 'M16 8v10m0 5v.1' },
  info: { color: '#2f6fd0', shape: 'M16 14v10m0-15v.1' },
  idle: { color: '#85859b', shape: 'M10 16h12' },
}

export interface TabIcon {
  /** undefined: the icon shows no state. */
  tone: StateTone | undefined
  accentColor: string | null
  hasLogo: boolean
}

export function toIconUrl({ tone, accentColor, hasLogo }: TabIcon): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${hasLogo ? drawBadge(tone ?? 'info') : drawMark(tone, accentColor)}</svg>`
  return `data:image/svg+xml,${svg.replaceAll('"', "'").replaceAll('#', '%23').replaceAll('<', '%3C').replaceAll('>', '%3E')}`
}

/** The badge covers the lower right quarter of the mark. */
function drawMark(tone: StateTone | undefined, accentColor: string | null): string {
  const { tower, bell } = accentColor === null ? markColors : { tower: accentColor, bell: accentColor }
  const badge = tone === undefined ? '' : `<g transform="translate(13 13)scale(.6)">${drawBadge(tone)}</g>`
  return `<path d="${markPaths.tower}" fill="${tower}"/><path d="${markPaths.bell}" fill="${bell}"/>${badge}`
}

function drawBadge(tone: StateTone): string {
  const { color, shape } = iconsByTone[tone]
  return `<circle cx="16" cy="16" r="15" fill="${color}"/><path d="${shape}" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/>`
}
