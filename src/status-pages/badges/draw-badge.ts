/** Draws a badge: a label and a value side by side, as an SVG image that loads neither fonts nor other files. */
import { escapeXml } from '../../lib/xml.ts'
import { measureText } from './measure-text.ts'

/** White text on each of these colors has a contrast of at least 4.5 (WCAG 2, level AA). */
export const badgeColors = {
  green: '#1a7f37',
  amber: '#8f5f00',
  orange: '#b3470f',
  red: '#c4281c',
  blue: '#1b65c9',
  gray: '#5b6470',
} as const
export type BadgeColor = keyof typeof badgeColors

export const badgeThemes = ['dark', 'light'] as const
export type BadgeTheme = (typeof badgeThemes)[number]

/** The colors of the part with the label. */
export const labelColors: Record<BadgeTheme, { background: string; text: string }> = {
  dark: { background: '#3a414b', text: '#ffffff' },
  light: { background: '#e6e9ee', text: '#1f2429' },
}

export const badgeStyles = ['flat', 'square'] as const
export type BadgeStyle = (typeof badgeStyles)[number]

const HEIGHT = 20
const FONT_SIZE = 11
const BASELINE = 14
const PADDING = 6
const radii: Record<BadgeStyle, number> = { flat: 4, square: 0 }

export interface BadgeContent {
  /** If the label is empty, the badge has only the value. */
  label: string
  value: string
  color: BadgeColor
  theme: BadgeTheme
  style: BadgeStyle
}

export function drawBadge({ label, value, color, theme, style }: BadgeContent): string {
  const parts = [
    { text: toBadgeText(label), background: labelColors[theme].background, fill: labelColors[theme].text },
    { text: toBadgeText(value), background: badgeColors[color], fill: '#ffffff' },
  ].filter(({ text }) => text !== '')
  let width = 0
  const shapes = parts.map(({ text, background, fill }, index) => {
    const left = width
    const textWidth = Math.max(1, Math.round(measureText(text, FONT_SIZE)))
    width += textWidth + 2 * PADDING
    const corners = { left: index === 0 ? radii[style] : 0, right: index === parts.length - 1 ? radii[style] : 0 }
    return `<path fill="${background}" d="${drawRectangle(left, width, corners)}"/><text x="${left + PADDING}" y="${BASELINE}" fill="${fill}" textLength="${textWidth}" lengthAdjust="spacingAndGlyphs">${escapeXml(text)}</text>`
  })
  const name = escapeXml(parts.map(({ text }) => text).join(': '))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="${name}"><title>${name}</title><g font-family="Verdana,Geneva,'DejaVu Sans',sans-serif" font-size="${FONT_SIZE}" text-rendering="geometricPrecision">${shapes.join('')}</g></svg>\n`
}

/**
 * Replaces line breaks, and removes characters that hide or reverse text. Zero-width joiners stay, because some scripts
 * and emoji need them.
 */
function toBadgeText(text: string): string {
  return text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/[^\P{Cf}\u{200c}\u{200d}]/gu, '')
    .trim()
}

/** Returns the SVG path of a rectangle. `corners` has the radius of its left and of its right corners. */
function drawRectangle(from: number, to: number, corners: { left: number; right: number }): string {
  const { left, right } = corners
  return [
    `M${from + left} 0H${to - right}`,
    right > 0
      ? `a${right} ${right} 0 0 1 ${right} ${right}V${HEIGHT - right}a${right} ${right} 0 0 1 -${right} ${right}`
      : `V${HEIGHT}`,
    `H${from + left}`,
    left > 0 ? `a${left} ${left} 0 0 1 -${left} -${left}V${left}a${left} ${left} 0 0 1 ${left} -${left}` : '',
    'z',
  ].join('')
}
