/**
 * Limits the size of a JSON text's data structure before it is parsed. Parsing and validating hundreds of thousands of fields
 * would block the process for a second.
 */

export interface JsonLimits {
  /** The maximum number of fields of one object. */
  fields: number
  /** The maximum number of entries of one list. */
  entries: number
  /** The maximum number of values in the whole text. */
  values: number
  levels: number
}

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

interface OpenValue {
  isList: boolean
  count: number
}

/**
 * Returns a sentence about the first limit that the text exceeds. Scans the text without parsing it, so text that isn't JSON can
 * pass. The parser rejects it later.
 */
export function findJsonExcess(text: string, limits: JsonLimits): string | undefined {
  const openValues: OpenValue[] = []
  let valueCount = 0
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE:
        i = findStringEnd(text, i)
        break
      case OPEN_BRACE:
      case OPEN_BRACKET:
        openValues.push({ isList: text.charCodeAt(i) === OPEN_BRACKET, count: 1 })
        if (openValues.length > limits.levels)
          return `Objects and lists can be nested at most ${limits.levels} levels deep.`
        valueCount++
        break
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        openValues.pop()
        break
      case COMMA: {
        const value = openValues.at(-1)
        if (value === undefined) break
        value.count++
        if (value.isList && value.count > limits.entries) return `A list can have at most ${limits.entries} entries.`
        if (!value.isList && value.count > limits.fields) return `An object can have at most ${limits.fields} fields.`
        valueCount++
        break
      }
    }
    if (valueCount > limits.values) return `The body can have at most ${limits.values} values.`
  }
  return undefined
}

/** Returns the position of the closing quote, or of the end of the text. A quote after an odd number of backslashes is escaped. */
function findStringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let firstBackslash = end
    while (text.charCodeAt(firstBackslash - 1) === BACKSLASH) firstBackslash--
    if ((end - firstBackslash) % 2 === 0) return end
  }
  return text.length
}
