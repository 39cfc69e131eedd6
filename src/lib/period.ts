/** Parses the parameters `from` and `to` of a list. */
import { parseTimeOrDay } from './local-day.ts'
import { type FieldErrors, invalid } from './problem.ts'

/** null: no bound. */
export interface Period {
  from: Date | null
  to: Date | null
}

/** Throws one error that lists the problems of both bounds. */
export function parsePeriod({ from, to }: { from?: string; to?: string }, timeZone: string): Period {
  const errors: FieldErrors = {}
  const parseBound = (name: 'from' | 'to', text: string | undefined): Date | null => {
    if (text === undefined) return null
    const time = parseTimeOrDay(text, timeZone, name === 'to')
    if (time === undefined)
      errors[name] = [`\`${name}\` must be a day such as 2026-01-05 or a time such as 2026-01-05T10:00:00Z.`]
    return time ?? null
  }
  const period = { from: parseBound('from', from), to: parseBound('to', to) }
  if (Object.keys(errors).length > 0) throw invalid(errors)
  if (period.from !== null && period.to !== null && period.from > period.to) {
    throw invalid({ from: ['`from` must not be after `to`.'] })
  }
  return period
}
