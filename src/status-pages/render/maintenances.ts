/** Maintenances in progress and planned ones. */
import { escapeHtml } from '../../lib/text.ts'
import type { SnapshotMaintenance } from '../snapshot.ts'
import { statusIcon } from './icons.ts'
import { renderAffected } from './posts.ts'
import { renderTimeRange } from './times.ts'

export function renderMaintenance(maintenance: SnapshotMaintenance, zone: string): string {
  const { id, title, note, startsAt, endsAt, isActive, isRecurring, labels } = maintenance
  const stateHtml = isActive
    ? `<span class="state state-maintenance">${statusIcon('maintenance')}In progress</span>`
    : `<span class="state state-planned">${statusIcon('pending')}Planned</span>`
  const noteHtml = note === null || note === '' ? '' : `<p class="text note" dir="auto">${escapeHtml(note)}</p>`
  return `<article class="card post tone-${isActive ? 'info' : 'idle'}" id="maintenance-${id}"><div class="post-head"><h3><bdi>${escapeHtml(title)}</bdi></h3>${stateHtml}</div><p class="meta">${renderTimeRange(startsAt, endsAt, zone)}${isRecurring ? ' · Repeats' : ''}</p>${renderAffected(labels)}${noteHtml}</article>`
}
