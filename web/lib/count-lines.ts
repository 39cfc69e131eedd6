/**
 * Estimates how many lines a small text takes. Lists that render only visible rows need this to know the height of
 * hidden rows.
 */

/**
 * The estimated width is a little too large. One line too many only leaves a gap, but one line too few covers the next
 * row.
 */
const WIDTH_SAFETY_FACTOR = 1.04

/** The font size of the class `small`. */
const SMALL_REM = 0.9

/** In pixels. */
export const getRemSize = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize)

let context: CanvasRenderingContext2D | null | undefined
const wordWidths = new Map<string, number>()

function measure(word: string): number {
  let width = wordWidths.get(word)
  if (width === undefined) {
    if (context === undefined) {
      context = document.createElement('canvas').getContext('2d')
      if (context) context.font = `${SMALL_REM * getRemSize()}px ${getComputedStyle(document.body).fontFamily}`
    }
    width = (context?.measureText(word).width ?? word.length * 8) * WIDTH_SAFETY_FACTOR
    wordWidths.set(word, width)
  }
  return width
}

export function countLines(text: string, lineWidth: number): number {
  return wrapWords(text.split(' ').map(measure), measure(' '), Math.max(1, lineWidth))
}

/** Fills each line with as many words as fit. A word that is wider than a line is broken. */
export function wrapWords(widths: readonly number[], spaceWidth: number, lineWidth: number): number {
  let [lineCount, used] = [1, 0]
  for (const width of widths) {
    const needed = used === 0 ? width : used + spaceWidth + width
    if (needed <= lineWidth) {
      used = needed
      continue
    }
    if (used > 0) lineCount += 1
    lineCount += Math.floor(width / lineWidth)
    used = width % lineWidth
  }
  return lineCount
}
