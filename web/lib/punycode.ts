/** Decodes the part after `xn--` of an internationalised host name (RFC 3492). Browsers only encode. */

const BASE = 36
const MIN_THRESHOLD = 1
const MAX_THRESHOLD = 26
const SKEW = 38
const DAMP = 700
const INITIAL_BIAS = 72
const FIRST_CODE_POINT = 128
const MAX_CODE_POINT = 0x10ffff

/** Returns undefined if the text isn't valid. */
export function decodePunycode(text: string): string | undefined {
  const basicLength = Math.max(0, text.lastIndexOf('-'))
  const output = Array.from(text.slice(0, basicLength), (character) => character.codePointAt(0) ?? 0)
  let codePoint = FIRST_CODE_POINT
  let index = 0
  let bias = INITIAL_BIAS
  for (let position = basicLength > 0 ? basicLength + 1 : 0; position < text.length; ) {
    const previousIndex = index
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = Number.parseInt(toBase36(text[position++]), BASE)
      if (Number.isNaN(digit)) return undefined
      index += digit * weight
      const threshold = Math.max(MIN_THRESHOLD, Math.min(MAX_THRESHOLD, k - bias))
      if (digit < threshold) break
      weight *= BASE - threshold
    }
    const length = output.length + 1
    bias = adaptBias(index - previousIndex, length, previousIndex === 0)
    codePoint += Math.floor(index / length)
    if (codePoint > MAX_CODE_POINT) return undefined
    index %= length
    output.splice(index++, 0, codePoint)
  }
  return String.fromCodePoint(...output)
}

/** Punycode counts a to z as 0 to 25 and then 0 to 9. `parseInt` counts the digits first. */
function toBase36(character = ''): string {
  if (/[a-z]/i.test(character)) return (character.toLowerCase().charCodeAt(0) - 97).toString(BASE)
  return /\d/.test(character) ? (Number(character) + 26).toString(BASE) : ''
}

function adaptBias(delta: number, length: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? DAMP : 2))
  rest += Math.floor(rest / length)
  let k = 0
  for (; rest > ((BASE - MIN_THRESHOLD) * MAX_THRESHOLD) / 2; k += BASE)
    rest = Math.floor(rest / (BASE - MIN_THRESHOLD))
  return k + Math.floor(((BASE - MIN_THRESHOLD + 1) * rest) / (rest + SKEW))
}
