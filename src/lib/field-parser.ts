/** Parses request fields whose rules a schema can't express. */
import { type FieldErrors, formatFieldError, invalid } from './problem.ts'

/** The canonical value of a field, or the violated rules without the field's name, such as "must not be empty". */
export type ParseResult<T> = { value: T } | { errors: string[] }

/** Collects the errors of all fields, so that one response reports all of them. */
export class FieldParser {
  readonly #errors: FieldErrors = {}

  /** Returns undefined if the field was not sent or is invalid. */
  parse<S, T>(field: string, input: S | undefined, parse: (input: S) => ParseResult<T>): T | undefined {
    if (input === undefined) return undefined
    const result = parse(input)
    if ('value' in result) return result.value
    this.addErrors(field, result.errors)
    return undefined
  }

  addErrors(field: string, rules: string[]): void {
    this.#errors[field] = rules.map((rule) => formatFieldError(field, rule))
  }

  throwIfInvalid(): void {
    if (Object.keys(this.#errors).length > 0) throw invalid(this.#errors)
  }
}

/** A name that a user chooses: one line with at least one visible character, because it can become the subject of an email. */
export function parseDisplayName(text: string): ParseResult<string> {
  const name = text.trim()
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) return { errors: ['must be one line without control characters'] }
  if (/^[\p{Cf}\p{Z}\u2800\u3164]*$/u.test(name)) return { errors: ['must not be empty'] }
  return { value: name }
}

/** A text of several lines, such as Markdown, with at least one visible character. Line breaks become `\n`. */
export function parseMultilineText(text: string): ParseResult<string> {
  const trimmedText = text.replace(/\r\n?/g, '\n').replace(/^\n+/, '').trimEnd()
  return /[^\p{C}\p{Z}\u2800\u3164]/u.test(trimmedText) ? { value: trimmedText } : { errors: ['must not be empty'] }
}
