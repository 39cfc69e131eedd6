/** What became of one field's text: its value in canonical form, or what is wrong with it. */
import { describeField, type FieldErrors, invalid } from './problem.ts'

export type Reading<T> = { value: T } | { faults: string[] }

/** Reads several fields, and then says at once what is wrong with all of them. */
export class FieldReader {
  readonly #errors: FieldErrors = {}

  /** undefined where the field was not sent, or is wrong. */
  read<S, T>(field: string, sent: S | undefined, read: (sent: S) => Reading<T>): T | undefined {
    if (sent === undefined) return undefined
    const reading = read(sent)
    if ('value' in reading) return reading.value
    this.refuse(field, reading.faults)
    return undefined
  }

  refuse(field: string, faults: string[]): void {
    this.#errors[field] = faults.map((fault) => describeField(field, fault))
  }

  /** Throws if anything was refused. */
  finish(): void {
    if (Object.keys(this.#errors).length > 0) throw invalid(this.#errors)
  }
}
