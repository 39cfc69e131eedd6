/** What the commands about traffic have in common: the website they are about, and options that are numbers or days. */

import { formatCount } from '../lib/format.ts'
import { isDay } from '../lib/local-day.ts'
import { createLog } from '../lib/log.ts'
import { Problem } from '../lib/problem.ts'
import type { Database } from '../storage/database.ts'
import { findTrackedWebsites, type TrackedWebsite } from '../traffic/collect/website/website-store.ts'
import { Rollup } from '../traffic/rollup/rollup.ts'
import { readDomain } from '../websites/domain.ts'
import { type Invocation, UsageError } from './command.ts'
import { Progress } from './progress.ts'

/** In the spelling under which it is kept. */
export function readDomainArgument({ positionals: [text] }: Invocation): string {
  if (text === undefined) throw new UsageError('Which website? Give its domain.')
  const reading = readDomain(text)
  if ('faults' in reading) throw new UsageError(`The domain ${reading.faults[0]}.`)
  return reading.value.domain
}

export async function getSite(db: Database, domain: string): Promise<TrackedWebsite> {
  const [site] = await findTrackedWebsites(db, [domain])
  if (site !== undefined) return site
  throw new Problem(
    'not_found',
    `There is no website ${domain}. Register it first: POST /api/v1/websites with domain=${domain}, see docs/websites.md.`,
  )
}

export function createRollup(db: Database): Rollup {
  return new Rollup({ db, log: createLog('warn', process.stderr) })
}

/** Where a server runs, it helps. */
export async function rollUpWithProgress(rollup: Rollup, events: number, { note }: Invocation): Promise<void> {
  const progress = new Progress(note, 'Adding up', undefined, { unit: 'events', shareOf: (rows) => rows / events })
  await rollup.rollUpAll((count) => progress.add(count, 0))
  progress.clear()
}

/** Nobody should find out by a filter that answers 0. */
export function warnAboutOldEvents({ config, note }: Invocation, days: number): void {
  if (days === 0) return
  const whose = days === 1 ? 'one day' : `${formatCount(days)} days`
  note(
    `The events of ${whose} are older than ${config.eventDays} days (BELFRY_EVENT_DAYS) and will not be kept: totals and panels have them, filters do not.`,
  )
}

export function readNumberOption(
  { options }: Invocation,
  name: string,
  usual: number,
  [least, most]: [number, number],
) {
  const text = options[name]
  if (text === undefined) return usual
  const number = typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw new UsageError(`--${name} must be a whole number from ${least} to ${most}.`)
}

export function readDayOption({ options }: Invocation, name: string, usual: string): string {
  const text = options[name] ?? usual
  if (typeof text === 'string' && isDay(text)) return text
  throw new UsageError(`--${name} must be a day such as 2026-01-05.`)
}
