/** Cron expressions in a time zone. */
import { Cron } from 'croner'
import type { ParseResult } from './field-parser.ts'

const createSchedule = (expression: string, timeZone: string) =>
  new Cron(expression, { paused: true, mode: '5-part', timezone: timeZone })

/** Accepts five fields, from minute to day of week, and names such as @daily. A field for seconds is not allowed. */
export function parseCron(text: string): ParseResult<string> {
  const expression = text.trim().replace(/\s+/g, ' ')
  const errors = ['must be a cron expression with five fields, such as 30 2 * * *']
  if (!expression.startsWith('@') && expression.split(' ').length !== 5) return { errors }
  try {
    const hasNextTime = createSchedule(expression, 'UTC').nextRun() !== null
    return hasNextTime ? { value: expression } : { errors: ['must be a cron expression that matches a future date'] }
  } catch {
    return { errors }
  }
}

/** Returns the first scheduled time after `after`, or undefined if there is none. The expression must be valid. */
export function findNextTime(expression: string, timeZone: string, after: Date): Date | undefined {
  return createSchedule(expression, timeZone).nextRun(after) ?? undefined
}

/** Returns up to `count` scheduled times after `after`. The expression must be valid. */
export function listNextTimes(expression: string, timeZone: string, after: Date, count: number): Date[] {
  return createSchedule(expression, timeZone).nextRuns(count, after)
}
