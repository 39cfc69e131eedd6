/** Parses the fields of a request whose rules a schema can't express. */
import { describeField, type FieldErrors, invalid } from './problem.ts'

/** The canonical value of a field, or what is wrong with it: rules without the field's name, as "must not be empty". */
export type ParseResult<T> = { value: T } | { faults: string[] }

/** Collects the errors of all fields, so that a client learns of all of them in one response. */
export class FieldParser {
  readonly #errors: FieldErrors = {}

  /** undefined if the field was not sent or is invalid. */
  parse<S, T>(field: string, input: S | undefined, parse: (input: S) => ParseResult<T>): T | undefined {
    if (input === undefined) return undefined
    const result = parse(input)
    if ('value' in result) return result.value
    this.addErrors(field, result.faults)
    return undefined
  }

  addErrors(field: string, faults: string[]): void {
    this.#errors[field] = faults.map((fault) => describeField(field, fault))
  }

  throwIfInvalid(): void {
    if (Object.keys(this.#errors).length > 0) throw invalid(this.#errors)
  }
}

/** The name of a monitor or provider: one line with at least one visible character, because it becomes an email subject. */
export function parseDisplayName(text: string): ParseResult<string> {
  const name = text.trim()
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) return { faults: ['must be one line without control characters'] }
  if (/^[\p{Cf}\p{Z}\u2800\u3164]*$/u.test(name)) return { faults: ['must not be empty'] }
  return { value: name }
}
