/** Converts values from PostgreSQL's text format to JavaScript values, or directly to JSON. */
import pg from 'pg'

// The OIDs of PostgreSQL's types.
const BOOLEAN = 16
const INT8 = 20
const INT2 = 21
const INT4 = 23
const JSON_TEXT = 114
const FLOAT8 = 701
const TEXT_LIST = 1009
const INT8_LIST = 1016
const TIMESTAMPTZ = 1184
const JSON_BINARY = 3802

/** Converts a timestamp in PostgreSQL's format to ISO 8601. Connections run in UTC, so the text always ends in +00. */
export function toIso(text: string): string {
  const milliseconds = text.slice(20, -3).slice(0, 3).padEnd(3, '0')
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${milliseconds}Z`
}

/**
 * Whether the timestamp is in UTC and in the years 2000 to 2999. pg parses all others, because infinity, years BC and
 * years after 9999 have other formats.
 */
function isCommonTimestampFormat(text: string): boolean {
  return text.startsWith('2') && text[4] === '-' && text.endsWith('+00')
}

function parseTimestamp(text: string): unknown {
  // V8 parses ISO 8601 several times faster than pg's regular expression.
  return isCommonTimestampFormat(text) ? new Date(toIso(text)) : pg.types.getTypeParser(TIMESTAMPTZ, 'text')(text)
}

export function findParser(typeOid: number): (text: string) => unknown {
  // Ids and counts stay far below 2^53.
  if (typeOid === INT8) return Number
  if (typeOid === INT8_LIST) return (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number))
  if (typeOid === TIMESTAMPTZ) return parseTimestamp
  return pg.types.getTypeParser(typeOid, 'text')
}

/** A list without quotes, escapes and nulls needs no parsing. */
function textListToJson(text: string): string {
  if (/["\\]|NULL/.test(text)) return JSON.stringify(findParser(TEXT_LIST)(text))
  return text === '{}' ? '[]' : `["${text.slice(1, -1).replaceAll(',', '","')}"]`
}

const keepUnchanged = (text: string) => text

const jsonWriters: Record<number, (text: string) => string> = {
  [BOOLEAN]: (text) => (text === 't' ? 'true' : 'false'),
  [INT2]: keepUnchanged,
  [INT4]: keepUnchanged,
  [INT8]: keepUnchanged,
  [FLOAT8]: (text) => JSON.stringify(Number(text)),
  [JSON_TEXT]: keepUnchanged,
  [JSON_BINARY]: keepUnchanged,
  [TEXT_LIST]: textListToJson,
  [TIMESTAMPTZ]: (text) => (isCommonTimestampFormat(text) ? `"${toIso(text)}"` : JSON.stringify(parseTimestamp(text))),
}

/** Returns a function that converts PostgreSQL's text to the text that JSON.stringify would return for the parsed value. */
export function findJsonWriter(typeOid: number): (text: string) => string {
  return jsonWriters[typeOid] ?? ((text) => JSON.stringify(findParser(typeOid)(text)))
}
