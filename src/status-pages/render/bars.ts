/**
 * The 90 daily bars of a monitor. Adjacent days of the same color are one rectangle, and a clip path that all monitors share cuts it
 * into bars with round corners. So a monitor that was always up needs only one short path.
 */
import { formatDuration } from '../../lib/format.ts'
import { escapeHtml } from '../../lib/text.ts'
import { formatUptime } from '../../shared/format-uptime.ts'
import { STATUS_PAGE_DAYS } from '../../shared/status-pages.ts'
import { DAY_MS, SECOND_MS } from '../../shared/time.ts'
import {
  type BarKind,
  barKinds,
  classifyDay,
  computeDayUptime,
  parseUptimeDays,
  type UptimeDays,
} from '../../shared/uptime-days.ts'
import { hasUptimePercent, type SnapshotMonitor } from '../snapshot.ts'
import { formatDayText } from './times.ts'

/**
 * The width of a day in SVG units. The browser may stretch the drawing, so the script computes the width of a day from
 * the drawing's actual width.
 */
const STEP = 9
const HEIGHT = 36
const BAR_SHAPE = 'a2 2 0 0 1 2-2h2a2 2 0 0 1 2 2v32a2 2 0 0 1-2 2h-2a2 2 0 0 1-2-2z'

/**
 * The text for screen readers and for people without script lists at most this many days with downtime. The script
 * shows all of them.
 */
const MAX_LISTED_DAYS = 10

export function renderBarShape(): string {
  return `<clipPath id="bars"><path d="M0 2${Array.from({ length: STATUS_PAGE_DAYS }, () => BAR_SHAPE).join(`m${STEP} 0`)}"/></clipPath>`
}

export function renderBars(monitor: SnapshotMonitor, firstDay: string): string {
  const { days, state, monitored } = monitor
  const uptimeDays = parseUptimeDays(days)
  const paths = buildRunPaths(uptimeDays, state === 'down')
  const pathsHtml = barKinds
    .filter((kind) => paths[kind] !== '')
    .map((kind) => `<path class="bar-${kind}" d="${paths[kind]}"/>`)
    .join('')
  const hasPercents = hasUptimePercent(monitor)
  return `<div class="bars" data-days="${escapeHtml(hasPercents ? days : removeMonitoredSeconds(days))}"><svg viewBox="0 0 ${STATUS_PAGE_DAYS * STEP} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true"><g clip-path="url(#bars)">${pathsHtml}</g></svg></div><p class="hidden">${describeDownDays(uptimeDays, firstDay, { isYoung: monitored !== undefined, hasPercents })}</p>`
}

/** Sets the monitored seconds of days with downtime to 0, so that the script shows no percentages. */
const removeMonitoredSeconds = (days: string) => days.replace(/(\d+:\d+:\d+)(:\d+)?/g, '$1:0')

function buildRunPaths(uptimeDays: UptimeDays, isDown: boolean): Record<BarKind, string> {
  const paths = { idle: '', up: '', brief: '', partial: '', down: '' }
  const kindOf = (day: number) => (isDown && day === STATUS_PAGE_DAYS - 1 ? 'down' : classifyDay(uptimeDays, day))
  let start = 0
  for (let day = 1; day <= STATUS_PAGE_DAYS; day++) {
    const kind = kindOf(start)
    if (day < STATUS_PAGE_DAYS && kindOf(day) === kind) continue
    paths[kind] += `M${start * STEP} 0h${(day - start) * STEP}v${HEIGHT}h-${(day - start) * STEP}z`
    start = day
  }
  return paths
}

/** Returns the same as `addDays`, in less than half of the time. */
const dayAt = (firstDay: string, index: number) =>
  new Date(Date.parse(firstDay) + index * DAY_MS).toISOString().slice(0, 10)

function describeDownDays(
  { downDays }: UptimeDays,
  firstDay: string,
  { isYoung, hasPercents }: { isYoung: boolean; hasPercents: boolean },
): string {
  if (downDays.length === 0) return `No downtime ${isYoung ? 'since monitoring began' : 'in the last 90 days'}.`
  const latestFirst = [...downDays].sort((a, b) => b.day - a.day)
  const texts = latestFirst.slice(0, MAX_LISTED_DAYS).map((downDay) => {
    const { day, seconds } = downDay
    const uptime = hasPercents ? `, ${formatUptime(computeDayUptime(downDay))}` : ''
    return `${formatDayText(dayAt(firstDay, day))}: down ${formatDuration(seconds * SECOND_MS)}${uptime}`
  })
  const others = latestFirst.length - texts.length
  return `${texts.join('; ')}${others > 0 ? `; and ${others} more days with downtime` : ''}.`
}
