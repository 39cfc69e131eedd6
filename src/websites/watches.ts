/**
 * Traffic alerts of a website: `watch_traffic` opens an incident when visits stop, and `watch_spikes` sends an alert when unusually
 * many arrive. While one of them is on, the website has a monitor of type traffic, whose notification channels get the alerts.
 */
import type { Clock } from '../lib/clock.ts'
import { invalid, notFound } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import { lockTrafficMonitor } from '../monitors/store.ts'
import { createTrafficMonitor, deleteTrafficMonitor, endSilence } from '../monitors/traffic-monitors.ts'
import type { Queries } from '../storage/transaction.ts'
import { mergeQuietDays, type QuietDaySettings } from './quiet-days.ts'
import type { UpdateWebsite } from './schema.ts'
import { findWebsite, updateWebsiteRow, type WebsiteChanges, type WebsiteRow } from './store.ts'
import { countOtherWatches, resetTrafficWatch, updateSilenceAlarms } from './watch-store.ts'

/**
 * Nodes of this schema version and later send traffic alerts. Nodes of 0.2.0 don't. Remove this check in version 0.4.0.
 */
export const FIRST_WATCHING_SCHEMA_VERSION = 12

const MAX_REPLAYED_WEEKS = 52

export interface PredictedAlarms {
  alarms: readonly unknown[]
  weeksReplayed: number
  /** Whether the replay has more alarms than is plausible for the allowed number of false alarms. */
  exceedsBudget: boolean
  /** The number of alarms on days with few visits. */
  quietAlarms: number
  /** The country whose public holidays explain most alarms on days with few visits. */
  suggestedHolidays: string | null
}

/** Finds the alerts about stopped visits that the owner would have received in the last 12 months. */
export interface SilenceForecast {
  replay(
    website: { id: number; teamId: number; domain: string; timeZone: string } & QuietDaySettings,
    alarmsAYear: number,
  ): Promise<PredictedAlarms>
}

export const hasWatchFields = ({ watch_traffic, watch_spikes, silence_alarms_a_year }: UpdateWebsite): boolean =>
  watch_traffic !== undefined || watch_spikes !== undefined || silence_alarms_a_year !== undefined

export const toWatchChanges = ({ watch_traffic, watch_spikes, silence_alarms_a_year }: UpdateWebsite) => ({
  changes: { watchTraffic: watch_traffic, watchSpikes: watch_spikes },
  alarmsAYear: silence_alarms_a_year,
})

/**
 * Throws if the website can't have traffic alerts, or if alerts about stopped visits would have been implausibly
 * frequent. Call this before opening a transaction, because it reads and replays the visits of a year. With less than
 * two weeks of visits, nothing can be replayed, and the alerts begin later.
 */
export async function requirePlausibleWatch(
  q: Queries,
  teamId: number,
  { website, input }: { website: WebsiteRow; input: UpdateWebsite },
  forecast: SilenceForecast,
): Promise<void> {
  refuseSampleWatch(website, input)
  const { watch_traffic: isWatched = website.watch_traffic } = input
  const { silence_alarms_a_year: alarmsAYear = website.silence_alarms_a_year } = input
  const isUnchanged = website.watch_traffic && alarmsAYear === website.silence_alarms_a_year
  if (!isWatched || isUnchanged) return
  const share = alarmsAYear / ((await countOtherWatches(q, website.id)) + 1)
  const { id, domain, time_zone: timeZone } = website
  const replayed = { id, teamId, domain, timeZone, ...mergeQuietDays(website, input) }
  const prediction = await forecast.replay(replayed, share)
  if (!prediction.exceedsBudget) return
  const { alarms, weeksReplayed } = prediction
  const weeks = Math.max(1, Math.round(weeksReplayed))
  const shortPeriod = weeks === 1 ? 'week' : `${weeks} weeks`
  const period = weeksReplayed < MAX_REPLAYED_WEEKS ? shortPeriod : '12 months'
  const alerts = alarms.length === 1 ? 'one alert' : `${alarms.length} alerts`
  throw invalid({
    [input.watch_traffic === undefined ? 'silence_alarms_a_year' : 'watch_traffic']: [
      `Over the last ${period}, you would have received ${alerts} about this website, but its share of \`silence_alarms_a_year\` is ${Number(share.toFixed(2))}. ${explainAlarms(prediction)}`,
    ],
  })
}

function explainAlarms({ alarms, quietAlarms, suggestedHolidays }: PredictedAlarms): string {
  if (quietAlarms < alarms.length / 2) return 'The visits of this website are too irregular.'
  const alarmShare = quietAlarms === alarms.length ? 'All were' : `${quietAlarms} of them were`
  const advice =
    suggestedHolidays === null
      ? 'List these days as `quiet_days`.'
      : `Set \`holidays\` to ${suggestedHolidays}, and list other such days as \`quiet_days\`.`
  return `${alarmShare} on days with few visits, such as public holidays. ${advice}`
}

function refuseSampleWatch({ is_sample }: WebsiteRow, { watch_traffic, watch_spikes }: UpdateWebsite): void {
  if (!is_sample) return
  const messages = ["The sample shop can't have traffic alerts. Turn them on for a website of your own instead."]
  if (watch_traffic) throw invalid({ watch_traffic: messages })
  if (watch_spikes) throw invalid({ watch_spikes: messages })
}

/** Call this in a transaction. Changes the website together with its monitor. */
export async function updateWatchedWebsite(
  q: Queries,
  teamId: number,
  { id, changes, alarmsAYear }: { id: number; changes: WebsiteChanges; alarmsAYear: number | undefined },
  deps: { clock: Clock; secret: Secret },
): Promise<WebsiteRow> {
  // Deleting a monitor locks the monitor first, and then its website. The same order everywhere prevents deadlocks.
  const lockedMonitor = await lockTrafficMonitor(q, id)
  if (alarmsAYear !== undefined) await updateSilenceAlarms(q, alarmsAYear)
  const website = await updateWebsiteRow(q, id, changes, deps.clock.now())
  if (website === undefined) throw notFound()
  // Another request may have created the monitor before the website was locked.
  const monitor = lockedMonitor ?? (await lockTrafficMonitor(q, id))
  // If there is no monitor, somebody may have deleted it. That turns the traffic alerts off, but doesn't reset what is
  // stored for them.
  const isNew = monitor === undefined
  if (isNew || !website.watch_traffic) await resetTrafficWatch(q, id, !isNew && website.watch_spikes)
  const isWatched = website.watch_traffic || website.watch_spikes
  if (isWatched && isNew) await createTrafficMonitor(q, teamId, website, deps)
  if (!isWatched && !isNew) await deleteTrafficMonitor(q, monitor.id)
  if (!website.watch_traffic && website.watch_spikes && !isNew) await endSilence(q, teamId, monitor, deps.clock)
  return (await findWebsite(q, id)) as WebsiteRow
}
