/** Parses the texts of posts, updates and templates. This module is pure. */
import { FieldParser, type ParseResult, parseDisplayName } from '../../lib/field-parser.ts'

/** Parses Markdown, which must have at least one visible character. Line breaks become `\n`. */
function parsePostBody(text: string): ParseResult<string> {
  const body = text.replace(/\r\n?/g, '\n').replace(/^\n+/, '').trimEnd()
  return /[^\p{C}\p{Z}\u2800\u3164]/u.test(body) ? { value: body } : { errors: ['must not be empty'] }
}

const parsers = { name: parseDisplayName, title: parseDisplayName, body: parsePostBody }

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
