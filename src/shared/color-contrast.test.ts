import { expect, it } from 'vitest'
import { accentBackgrounds, contrastOf, deriveAccentColors } from './color-contrast.ts'

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

it('every accent color gives readable links and buttons, in the light and in the dark theme', () => {
  const parts = ['00', '33', '66', '99', 'cc', 'ff']
  const colors = parts.flatMap((red) => parts.flatMap((green) => parts.map((blue) => `#${red}${green}${blue}`)))
  for (const theme of ['light', 'dark'] as const) {
    const contrasts = [...colors, '#7a7a7a', '#767676'].flatMap((color) => {
      const { text, fill, onFill } = deriveAccentColors(color, theme)
      return [contrastOf(text, accentBackgrounds[theme]), contrastOf(onFill, fill)]
    })
    expect(Math.min(...contrasts)).toBeGreaterThanOrEqual(4.5)
  }
})

it.each([
  ['#0a7d4f', 'light', { text: '#0a7d4f', fill: '#0a7d4f', onFill: '#ffffff' }],
  ['#0a7d4f', 'dark', { text: '#2f9169', fill: '#0a7d4f', onFill: '#ffffff' }],
  ['#ffcc00', 'light', { text: '#806600', fill: '#ffcc00', onFill: '#000000' }],
  ['#ffcc00', 'dark', { text: '#ffcc00', fill: '#ffcc00', onFill: '#000000' }],
  ['#ffffff', 'light', { text: '#666666', fill: '#d9d9d9', onFill: '#000000' }],
  ['#000000', 'dark', { text: '#808080', fill: '#333333', onFill: '#ffffff' }],
] as const)('the accent color %s changes only as much as the %s theme needs', (color, theme, colors) => {
  expect(deriveAccentColors(color, theme)).toEqual(colors)
})
