/**
 * Writes values as SQL. COPY takes no parameters, so the text of its select has to contain the values. These functions throw
 * unless a value has the expected form, so nothing else can get into the text.
 */
import { numbersLiteral } from './array-literal.ts'

const DAY = /^\d{4}-\d{2}-\d{2}$/

export function numberSql(value: number): string {
  const text = String(requireInteger(value))
  // Two minus signs would begin a comment.
  return value < 0 ? `(${text})` : text
}

export function numbersSql(values: readonly number[]): string {
  return `'${numbersLiteral(values.map(requireInteger))}'::bigint[]`
}

export function daySql(day: string): string {
  return `date '${requireDay(day)}'`
}

export function daysSql(days: readonly string[]): string {
  return `'{${days.map(requireDay).join()}}'::date[]`
}

function requireInteger(value: number): number {
  if (!Number.isSafeInteger(value)) throw new TypeError(`${value} is not a safe integer`)
  return value
}

function requireDay(day: string): string {
  if (typeof day !== 'string' || !DAY.test(day)) throw new TypeError(`${JSON.stringify(day)} is not a day (YYYY-MM-DD)`)
  return day
}
