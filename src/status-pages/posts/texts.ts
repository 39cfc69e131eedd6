/** Parses the texts of posts, updates and templates. This module is pure. */
import { FieldParser, parseDisplayName, parseMultilineText } from '../../lib/field-parser.ts'

const parsers = { name: parseDisplayName, title: parseDisplayName, body: parseMultilineText }

/** Returns the input with its texts trimmed. Throws one error that lists the problems of all texts. */
export function parsePostTexts<T extends { name?: string; title?: string; body?: string }>(input: T): T {
  const parser = new FieldParser()
  const parsedTexts = { ...input }
  for (const field of ['name', 'title', 'body'] as const) {
    const value = parser.parse(field, input[field], parsers[field])
    if (value !== undefined) parsedTexts[field] = value
  }
  parser.throwIfInvalid()
  return parsedTexts
}
