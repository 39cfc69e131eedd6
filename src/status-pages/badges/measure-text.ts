/**
 * Estimates the width of a text without its font. A badge has to know its size before it is drawn, and the fonts of the
 * viewer are unknown. The badge then fits the text to the estimate, so an error only makes letters a little narrower or
 * wider.
 */
import { lettersByWidth } from './letter-widths.ts'

const widthByLetter = new Map(
  lettersByWidth.flatMap(([width, letters]) => [...letters].map((letter) => [letter, width] as const)),
)

/**
 * Widths of letters that `lettersByWidth` doesn't contain, as fractions of the font size. If several patterns match a
 * letter and its marks, the first one counts.
 */
const widthsByPattern: readonly [RegExp, number][] = [
  [/\p{Extended_Pictographic}|\p{Regional_Indicator}/u, 1.3],
  // Letters that fill a square: Chinese, Japanese and Korean, with their punctuation and their full-width Latin letters.
  [
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\u{3000}-\u{303f}\u{ff01}-\u{ff60}]/u,
    1,
  ],
  [/[\p{Script=Arabic}\p{Script=Syriac}]/u, 0.5],
  [/[\p{Script=Hebrew}\p{Script=Georgian}]/u, 0.6],
]
/** This is wide enough for most letters of scripts that have no entry above, such as Thai, Tamil or Armenian. */
const UNKNOWN_WIDTH = 0.8

/** Created on first use, because most servers never render a badge. */
let segmenter: Intl.Segmenter | undefined

/** `fontSize` and the result are in pixels. */
export function measureText(text: string, fontSize: number): number {
  segmenter ??= new Intl.Segmenter('en')
  // An emoji of several code points, or a letter with its accents, is one character for the reader.
  const width = [...segmenter.segment(text)].reduce((sum, { segment }) => sum + measureCharacter(segment), 0)
  return width * fontSize
}

function measureCharacter(character: string): number {
  const listedWidth = widthByLetter.get(character) ?? widthByLetter.get(character.normalize('NFC'))
  if (listedWidth !== undefined) return listedWidth
  const pattern = widthsByPattern.find(([pattern]) => pattern.test(character))
  if (pattern !== undefined) return pattern[1]
  // A segment can consist of several letters, and in some scripts, marks take space, too. Other marks take none.
  const letters = [...character].filter((letter) => !/[\p{Mn}\p{Me}\p{Cf}]/u.test(letter))
  return letters.reduce((sum, letter) => sum + (widthByLetter.get(letter) ?? UNKNOWN_WIDTH), 0)
}
