/** Helpers that the traffic commands share: finding the website, rolling up, and reading numbers and days from options. */
import { formatCount } from '../lib/format.ts'
import { isDay } from '../lib/local-day.ts'
import { createLog } from '../lib/log.ts'
import { Problem } from '../lib/problem.ts'
import type { Database } from '../storage/database.ts'
import { findTrackedWebsites, type TrackedWebsite } from '../traffic/collect/store.ts'
import { Rollup } from '../traffic/rollup/rollup.ts'
import { TrafficThreads } from '../traffic/threads/traffic-threads.ts'
import { parseDomain } from '../websites/domain.ts'
import { type Invocation, UsageError } from './common/command.ts'
import { Progress } from './common/progress.ts'

/** Returns the domain in its stored form. The user can also type a URL. */
export function readDomainArgument({ positionals: [text] }: Invocation): string {
  if (text === undefined) throw new UsageError('Missing argument: <domain>')
  const parseResult = parseDomain(text)
  if ('errors' in parseResult) throw new UsageError(`The domain ${parseResult.errors[0]}.`)
  return parseResult.value.domain
}

export async function getSite(db: Database, domain: string): Promise<TrackedWebsite> {
  const [site] = await findTrackedWebsites(db, [domain])
  if (site !== undefined) return site
  throw new Problem(
    'not_found',
    `There is no website ${domain}. Add it on the website list, or with POST /api/v1/websites (see docs/websites.md).`,
  )
}

export function createRollup(db: Database): Rollup {
  return new Rollup({ db, log: createLog('warn', process.stderr), threads: new TrafficThreads() })
}

/** A running server rolls up some of the events at the same time, so the bar may jump to 100 % at the end. */
export async function rollUpWithProgress(rollup: Rollup, eventCount: number, { note }: Invocation): Promise<void> {
  const progress = new Progress(note, 'Counting', undefined, {
    unit: 'events',
    computeShare: (rows) => rows / eventCount,
  })
  await rollup.rollUpAll((count) => progress.add(count, 0))
  progress.complete()
}

/** Tells the user why filtered statistics won't include the oldest events. */
export function warnAboutOldEvents({ config, note }: Invocation, days: number): void {
  if (days === 0) return
  const daysText = days === 1 ? 'one day' : `${formatCount(days)} days`
  note(
    `The events of ${daysText} are older than ${config.eventDays} days (BELFRY_EVENT_DAYS) and will not be stored. Totals and panels include them, filtered statistics do not.`,
  )
}

export function readNumberOption(
  { options }: Invocation,
  name: string,
  defaultValue: number,
  [min, max]: [number, number],
): number {
  const text = options[name]
  if (text === undefined) return defaultValue
  const number = typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (number >= min && number <= max) return number
  throw new UsageError(`--${name} must be a whole number from ${min} to ${max}.`)
}

export function readDayOption({ options }: Invocation, name: string, defaultValue: string): string {
  const text = options[name] ?? defaultValue
  if (typeof text === 'string' && isDay(text)) return text
  throw new UsageError(`--${name} must be a day such as 2026-01-05.`)
}
