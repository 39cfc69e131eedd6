/** The top of a status page: its overall state in words and, if the page is a stored copy, the age of the copy. */
import { formatDuration } from '../../lib/format.ts'
import type { OverallState } from '../../shared/status-pages.ts'
import { MINUTE_MS } from '../../shared/time.ts'
import type { StatusPageSnapshot } from '../snapshot.ts'
import { overallStateTexts } from '../words.ts'
import { overallStateIcons, statusIcon } from './icons.ts'
import type { StateTone } from './tab-icon.ts'
import { renderTime } from './times.ts'

export const overallTones: Record<OverallState, StateTone> = {
  up: 'good',
  partly_down: 'warn',
  down: 'bad',
  incident: 'warn',
  maintenance: 'info',
  unknown: 'idle',
}

export function renderBanner({ overall, readAt, page }: StatusPageSnapshot, isStale: boolean): string {
  const prefix = isStale ? 'Last known state: ' : ''
  return `<section class="banner tone-${isStale ? 'idle' : overallTones[overall]}">${statusIcon(overallStateIcons[overall])}<div><div role="status"><h2>${prefix}${overallStateTexts[overall]}</h2></div><p>Last updated ${renderTime(readAt, page.timeZone, { style: 'ago' })}</p></div></section>`
}

/** `staleSince` and `now` are epoch milliseconds. */
export function renderStaleNotice(staleSince: number, now: number, zone: string): string {
  const ageMs = Math.max(0, now - staleSince)
  const age = ageMs < MINUTE_MS ? 'less than a minute' : formatDuration(ageMs - (ageMs % MINUTE_MS))
  return `<p class="stale tone-warn">${statusIcon('alert')}<span>This page is from ${renderTime(staleSince, zone)}, <time datetime="${new Date(staleSince).toISOString()}" data-ago>${age} ago</time>. Monitoring data is unavailable.</span></p>`
}
