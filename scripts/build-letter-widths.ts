/**
 * npm run build:letter-widths: measures the letters of DejaVu Sans, which has nearly the same widths as Verdana, in Chromium, and
 * writes them for the badges of status pages. Needs Chromium and the Debian package fonts-dejavu-core.
 */
import { writeFileSync } from 'node:fs'
import { launchBrowser } from '../tests/support/browser.ts'

/** Latin, Greek and Cyrillic letters, and the punctuation between them. */
const ranges: [number, number][] = [
  [0x20, 0x7e],
  [0xa1, 0x17f],
  [0x386, 0x3ce],
  [0x400, 0x45f],
  [0x2013, 0x2026],
  [0x20ac, 0x20ac],
]
const FONT_SIZE = 1_000
/** Widths are rounded to 1/20 of the font size, so that the table is short. */
const STEPS_PER_EM = 20

const letters = ranges
  .flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, n) => String.fromCodePoint(first + n)))
  .filter((letter) => /^[^\p{Cn}\p{Cf}\p{Mn}]$/u.test(letter))

const browser = await launchBrowser()
const page = await browser.newPage()
const widths = (await page.evaluate(`(() => {
  const context = document.createElement('canvas').getContext('2d')
  context.font = '${FONT_SIZE}px "DejaVu Sans"'
  return ${JSON.stringify(letters)}.map((letter) => context.measureText(letter).width)
})()`)) as number[]
await browser.close()

const lettersByWidth = Map.groupBy(letters, (_, index) =>
  Math.round(((widths[index] as number) / FONT_SIZE) * STEPS_PER_EM),
)
const lines = [...lettersByWidth]
  .sort(([a], [b]) => a - b)
  .map(([steps, group]) => `  [${steps / STEPS_PER_EM}, ${JSON.stringify(group.join(''))}],`)
writeFileSync(
  new URL('../src/status-pages/badges/letter-widths.ts', import.meta.url),
  `/** Widths of letters in DejaVu Sans, as fractions of the font size. Written by \`npm run build:letter-widths\`. */
export const lettersByWidth: readonly [width: number, letters: string][] = [
${lines.join('\n')}
]
`,
)
console.log(`Wrote the widths of ${letters.length} letters to src/status-pages/badges/letter-widths.ts.`)
