/** The groups of a page with their monitors. */
import { formatCount } from '../../lib/format.ts'
import { escapeHtml } from '../../lib/text.ts'
import { formatUptime } from '../../shared/format-uptime.ts'
import { monitorStateTexts } from '../../shared/page-states.ts'
import { buildSparklinePaths, SPARKLINE_HEIGHT, SPARKLINE_WIDTH } from '../../shared/sparkline-paths.ts'
import { hasUptimePercent, type SnapshotGroup, type SnapshotMonitor, type StatusPageSnapshot } from '../snapshot.ts'
import { renderBars } from './bars.ts'
import { monitorStateIcons, statusIcon } from './icons.ts'
import { dayOf, renderDay, renderTime } from './times.ts'

export function renderGroups(snapshot: StatusPageSnapshot): string {
  const groups = snapshot.groups.filter(({ monitors }) => monitors.length > 0)
  if (groups.length === 0) {
    return '<section class="card empty"><p>This page has no monitors yet.</p></section>'
  }
  return groups.map((group, index) => renderGroup(group, index, groups.length > 1, snapshot)).join('')
}

function renderGroup(
  group: SnapshotGroup,
  index: number,
  isCollapsible: boolean,
  snapshot: StatusPageSnapshot,
): string {
  const headingHtml = `<h2><bdi>${escapeHtml(group.name)}</bdi></h2>`
  const monitorsHtml = `<ul class="monitors">${group.monitors.map((monitor) => renderMonitor(monitor, snapshot)).join('')}</ul>`
  return isCollapsible
    ? `<details class="card group" id="group-${index}" open><summary>${headingHtml}${renderGroupState(group)}${statusIcon('chevron')}</summary>${monitorsHtml}</details>`
    : `<section class="card group" id="group-${index}"><div class="group-head">${headingHtml}</div>${monitorsHtml}</section>`
}

/** A collapsed group hides the states of its monitors, so its heading shows a summary. */
function renderGroupState({ monitors }: SnapshotGroup): string {
  const downCount = monitors.filter(({ state }) => state === 'down').length
  if (downCount > 0)
    return `<span class="state state-down">${statusIcon('down')}${downCount} of ${monitors.length} down</span>`
  if (monitors.some(({ state }) => state === 'maintenance')) return renderState('maintenance')
  if (monitors.some(({ state }) => state === 'up')) return renderState('up')
  return renderState(monitors.every(({ state }) => state === 'paused') ? 'paused' : 'pending')
}

const renderState = (state: SnapshotMonitor['state']) =>
  `<span class="state state-${state}">${statusIcon(monitorStateIcons[state])}${monitorStateTexts[state]}</span>`

/** The style sheet writes the number before " days ago", because narrow screens show fewer days. */
function renderMonitor(monitor: SnapshotMonitor, { page, firstDay, lastDay }: StatusPageSnapshot): string {
  const { id, label, state, since } = monitor
  const sinceHtml =
    state === 'down' && since !== null ? `<p class="since">Down since ${renderTime(since, page.timeZone)}</p>` : ''
  return `<li class="monitor" id="monitor-${id}"><div class="monitor-head"><h3><bdi>${escapeHtml(label)}</bdi></h3>${renderState(state)}</div>${sinceHtml}${renderBars(monitor, firstDay)}<div class="scale"><span class="first-day"> days ago</span><span class="uptime"><span>${renderUptime(monitor, lastDay, page.timeZone)}</span></span><span>Today</span></div>${page.showResponseTimes ? renderResponseLine(monitor) : ''}</li>`
}

/** A monitor that is younger than the bars says since when it is monitored, and has no percentage on its first day. */
function renderUptime(monitor: SnapshotMonitor, today: string, zone: string): string {
  const { uptime, monitored } = monitor
  const { last90Days } = uptime
  if (last90Days === null) return 'No uptime yet'
  const percentHtml = `${formatUptime(last90Days)}<span class="unit"> uptime</span>`
  if (monitored === undefined) return `${percentHtml}<span class="period"> in 90 days</span>`
  const { since } = monitored
  const firstDay = dayOf(since, zone)
  const sinceHtml = `since ${firstDay === today ? renderTime(since, zone, { style: 'clock', day: today }) : renderDay(firstDay)}`
  return hasUptimePercent(monitor) ? `${percentHtml} ${sinceHtml}` : `Monitored ${sinceHtml}`
}

/**
 * Calling `formatCount` for every response time took half of the time of rendering a page of 100 monitors. Numbers
 * below 1,000 need no separators, and few responses take longer than a second.
 */
const formatMs = (ms: number) => (ms < 1_000 ? `${ms}` : formatCount(ms))

/** A line needs at least two hours with responses. */
const MIN_LINE_VALUES = 2

/**
 * Draws a small line of the response times of the last 24 hours, with their average and range. Returns an empty text if there were no
 * responses, and only the average if there are too few for a line.
 */
function renderResponseLine({ responseMs, responseTimes }: SnapshotMonitor): string {
  const values = responseTimes?.filter((value) => value !== null) ?? []
  if (responseTimes === null || responseMs === null || values.length === 0) return ''
  const nameHtml = '<span>Response time<span class="hidden"> in the last 24 hours</span></span>'
  const averageHtml = `<b>${formatMs(Math.round(responseMs))} ms</b>`
  if (values.length < MIN_LINE_VALUES) return `<div class="response">${nameHtml}${averageHtml}</div>`
  const { line, area } = buildSparklinePaths(responseTimes)
  const rangeHtml = `<span>${formatMs(Math.min(...values))} – ${formatMs(Math.max(...values))} ms</span>`
  return `<div class="response">${nameHtml}<svg class="spark" viewBox="0 0 ${SPARKLINE_WIDTH} ${SPARKLINE_HEIGHT}" preserveAspectRatio="none" aria-hidden="true"><path class="area" d="${area}"/><path class="stroke" d="${line}"/></svg><span class="figures">${averageHtml}${rangeHtml}</span></div>`
}
