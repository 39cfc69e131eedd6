import { expect, it } from 'vitest'
import { accentBackgrounds, contrastOf, deriveAccentColors, findAccentColorError } from './color-contrast.ts'

it.each([
  ['#000000', '#ffffff', 21],
  ['#ffffff', '#000000', 21],
  ['#777777', '#777777', 1],
  // Well-known values: the lightest gray that is readable on white, and the next lighter gray, which is not.
  ['#767676', '#ffffff', 4.54],
  ['#777777', '#ffffff', 4.48],
  ['#0000ff', '#ffffff', 8.59],
])('the contrast of %s to %s is %d', (color, otherColor, contrast) => {
  expect(contrastOf(color, otherColor)).toBeCloseTo(contrast, 2)
})

it.each([
  ['#0a7d4f', 'auto', undefined],
  ['#4f46e5', 'auto', undefined],
  [
    '#ffcc00',
    'auto',
    'has a contrast of 1.41:1 to the background of the light theme, but it needs 4.5:1: choose a darker color',
  ],
  ['#ffcc00', 'dark', undefined],
  ['#000000', 'dark', undefined],
  [
    '#7a7a7a',
    'dark',
    'has a contrast of 4.29:1 to white text and 4.27:1 to the background of the dark theme, but it needs 4.5:1 to one of them: choose a lighter or darker color',
  ],
  [
    '#767676',
    'light',
    'has a contrast of 4.24:1 to the background of the light theme, but it needs 4.5:1: choose a darker color',
  ],
] as const)('the error of the accent color %s in the theme %s is: %s', (color, theme, error) => {
  expect(findAccentColorError(color, theme)).toBe(error)
})

it('every accent color without an error gives readable colors', () => {
  const parts = ['00', '33', '66', '99', 'cc', 'ff']
  const colors = parts.flatMap((red) => parts.flatMap((green) => parts.map((blue) => `#${red}${green}${blue}`)))
  for (const theme of ['light', 'dark'] as const) {
    const acceptedColors = colors.filter((color) => findAccentColorError(color, theme) === undefined)
    const contrasts = acceptedColors.flatMap((color) => {
      const { text, fill, onFill } = deriveAccentColors(color, theme)
      return [contrastOf(text, accentBackgrounds[theme]), contrastOf(onFill, fill)]
    })
    expect(acceptedColors.length).toBeGreaterThan(60)
    expect(Math.min(...contrasts)).toBeGreaterThanOrEqual(4.5)
  }
})

it('links have the accent color, lightened only if it is too dark for a dark page', () => {
  expect(deriveAccentColors('#ffcc00', 'dark')).toEqual({ text: '#ffcc00', fill: '#ffcc00', onFill: '#141419' })
  expect(deriveAccentColors('#0a7d4f', 'light')).toEqual({ text: '#0a7d4f', fill: '#0a7d4f', onFill: '#ffffff' })
  expect(deriveAccentColors('#0a7d4f', 'dark')).toEqual({ text: '#2f9169', fill: '#0a7d4f', onFill: '#ffffff' })
})
