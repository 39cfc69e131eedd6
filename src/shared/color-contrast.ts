/** The contrast of colors by WCAG 2, and the colors that a status page derives from its accent color. This module is pure. */

/** What WCAG 2 (level AA) requires for text of normal size. */
export const MIN_TEXT_CONTRAST = 4.5
/** A button has a text with enough contrast, so its own color only has to differ visibly from the page. */
const MIN_FILL_CONTRAST = 1.3

const WHITE = '#ffffff'
const BLACK = '#000000'

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

/**
 * An accent color can be any color, so every color is changed as little as necessary until it can be read or seen in the theme: it gets
 * darker in the light theme, and lighter in the dark theme. The text of buttons is white, or black if white has too little contrast. One of
 * the two always has enough: the product of both contrasts is 21, and the root of 21 is 4.58.
 */
export function deriveAccentColors(accentColor: string, theme: ShownTheme): AccentColors {
  const background = accentBackgrounds[theme]
  const end = theme === 'light' ? BLACK : WHITE
  const fill = mixUntil(accentColor, end, (color) => contrastOf(color, background) >= MIN_FILL_CONTRAST)
  return {
    text: mixUntil(accentColor, end, (color) => isReadable(color, background)),
    fill,
    onFill: isReadable(WHITE, fill) ? WHITE : BLACK,
  }
}

const MIXING_STEPS = 20

/** Mixes the color with as little of `end`, black or white, as possible. */
function mixUntil(color: string, end: string, isEnough: (mixed: string) => boolean): string {
  const [rgb, endRgb] = [toRgb(color), toRgb(end)]
  for (let step = 0; step < MIXING_STEPS; step++) {
    const share = step / MIXING_STEPS
    const mixed = toHex(rgb.map((part, index) => part + ((endRgb[index] as number) - part) * share) as Rgb)
    if (isEnough(mixed)) return mixed
  }
  return end
}
