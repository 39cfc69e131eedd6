/** The days that the page shows: one of the usual periods, or from one day to another. */
import { addDays, countDays, isDay } from '../../lib/local-day.ts'
import { DAYS_MOST } from '../stats/question.ts'

export const periods = {
  today: 'Today',
  yesterday: 'Yesterday',
  '7d': '7 days',
  '30d': '30 days',
  '12mo': '12 months',
} as const
export type PeriodName = keyof typeof periods

export interface Period {
  /** undefined: days that somebody chose. */
  name: PeriodName | undefined
  from: string
  to: string
  /** What was asked for could not be had. */
  isFallback: boolean
}

const usual: PeriodName = '30d'

function daysOf(name: PeriodName, today: string): { from: string; to: string } {
  if (name === 'today') return { from: today, to: today }
  if (name === 'yesterday') return { from: addDays(today, -1), to: addDays(today, -1) }
  if (name === '7d') return { from: addDays(today, -6), to: today }
  if (name === '30d') return { from: addDays(today, -29), to: today }
  return { from: Temporal.PlainDate.from(today).subtract({ years: 1 }).add({ days: 1 }).toString(), to: today }
}

export interface PeriodQuery {
  period?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

/** Never refuses: what cannot be read becomes the usual period. */
export function choosePeriod({ period, from, to }: PeriodQuery, today: string): Period {
  if (period !== undefined && Object.hasOwn(periods, period)) {
    const name = period as PeriodName
    return { name, ...daysOf(name, today), isFallback: false }
  }
  const chosen = chooseDays(from ?? '', to ?? '', today)
  if (chosen !== undefined) return { name: undefined, ...chosen, isFallback: false }
  const isFallback = Boolean(period || from || to)
  return { name: usual, ...daysOf(usual, today), isFallback }
}

/** Either may be left out, and nobody minds in which order they stand. */
function chooseDays(from: string, to: string, today: string): { from: string; to: string } | undefined {
  if (from === '' && to === '') return undefined
  const [first = '', second = ''] = [from || to, to || today].sort()
  if (!isDay(first) || !isDay(second) || first > today) return undefined
  const last = second > today ? today : second
  return countDays(first, last) > DAYS_MOST ? undefined : { from: first, to: last }
}
