/** The contrast of colors by WCAG 2, and the colors that a status page derives from its accent color. This module is pure. */
import type { StatusPageTheme } from './status-pages.ts'

/** What WCAG 2 (level AA) requires for text of normal size. */
export const MIN_TEXT_CONTRAST = 4.5

const WHITE = '#ffffff'

/**
 * On a status page, these are the backgrounds with the least contrast to text in the accent color. Other backgrounds
 * are lighter in the light theme and darker in the dark theme.
 */
export const accentBackgrounds = { light: '#f7f7f9', dark: '#141419' } as const
export type ShownTheme = keyof typeof accentBackgrounds

type Rgb = [red: number, green: number, blue: number]

/** `color` is a hexadecimal color such as #0a7d4f. */
function toRgb(color: string): Rgb {
  return [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16)) as Rgb
}

const toHex = (rgb: Rgb) => `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`

function luminanceOf(color: string): number {
  const [red, green, blue] = toRgb(color).map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as Rgb
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Returns a ratio from 1 (the same color) to 21 (black and white). */
export function contrastOf(color: string, otherColor: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(color), luminanceOf(otherColor)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

const isReadable = (color: string, background: string) => contrastOf(color, background) >= MIN_TEXT_CONTRAST

export interface AccentColors {
  /** The color of links and other text on the page. */
  text: string
  /** The color of buttons. */
  fill: string
  /** The color of text on buttons. */
  onFill: string
}

/** Text has enough contrast to its background, on the page and on buttons, if `findAccentColorError` found no error. */
export function deriveAccentColors(accentColor: string, theme: ShownTheme): AccentColors {
  const background = accentBackgrounds[theme]
  const onFill = isReadable(WHITE, accentColor) ? WHITE : background
  return {
    text: theme === 'dark' ? lightenUntilReadable(accentColor, background) : accentColor,
    fill: accentColor,
    onFill,
  }
}

const LIGHTENING_STEPS = 20

/** Mixes the color with as little white as possible, so that a dark color can also be the color of links on a dark page. */
function lightenUntilReadable(color: string, background: string): string {
  const rgb = toRgb(color)
  for (let step = 0; step < LIGHTENING_STEPS; step++) {
    const mixed = toHex(rgb.map((part) => part + (255 - part) * (step / LIGHTENING_STEPS)) as Rgb)
    if (isReadable(mixed, background)) return mixed
  }
  return WHITE
}

/** The ratio is rounded down, so that a ratio that is too low never looks high enough. */
const formatRatio = (ratio: number) => `${(Math.floor(ratio * 100) / 100).toFixed(2)}:1`

/**
 * Returns why links or buttons in this color are hard to read, as a text that follows the name of the field. The light theme has
 * links in this color, and buttons with white text. The dark theme lightens links if necessary, and the text of its buttons is white
 * or has the color of the page. So in the dark theme, this color needs enough contrast to only one of these two.
 */
export function findAccentColorError(accentColor: string, theme: StatusPageTheme): string | undefined {
  const requirement = `it needs ${MIN_TEXT_CONTRAST}:1`
  const lightContrast = contrastOf(accentColor, accentBackgrounds.light)
  if (theme !== 'dark' && lightContrast < MIN_TEXT_CONTRAST) {
    const ratio = formatRatio(lightContrast)
    return `has a contrast of ${ratio} to the background of the light theme, but ${requirement}: choose a darker color`
  }
  const [onWhite, onDark] = [contrastOf(accentColor, WHITE), contrastOf(accentColor, accentBackgrounds.dark)]
  if (theme !== 'light' && Math.max(onWhite, onDark) < MIN_TEXT_CONTRAST) {
    const ratios = `${formatRatio(onWhite)} to white text and ${formatRatio(onDark)} to the background of the dark theme`
    return `has a contrast of ${ratios}, but ${requirement} to one of them: choose a lighter or darker color`
  }
  return undefined
}
