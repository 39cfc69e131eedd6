/**
 * Writes values as SQL. COPY takes no parameters, so the text of its select has to contain the values. These functions throw
 * unless a value has the expected form, so nothing else can get into the text.
 */

const DAY = /^\d{4}-\d{2}-\d{2}$/

export function numberSql(value: number): string {
  if (!Number.isSafeInteger(value)) throw new TypeError(`${value} is not a safe integer`)
  // Two minus signs would begin a comment.
  return value < 0 ? `(${value})` : `${value}`
}

export function daySql(day: string): string {
  if (typeof day !== 'string' || !DAY.test(day)) throw new TypeError(`${JSON.stringify(day)} is not a day (YYYY-MM-DD)`)
  return `date '${day}'`
}
