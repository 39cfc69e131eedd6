/**
 * The states of status pages, their monitors and their posts: how they are computed, named and colored. The public page, its feeds and
 * badges, the emails to subscribers and the application all use this file, so that they agree.
 */
import type { OverallState, PostState, PublicMonitorState } from './status-pages.ts'

/** Summarizes a page. Monitors that are paused or pending don't count, because nobody knows whether they are up. */
export function computeOverallState(
  monitorStates: readonly PublicMonitorState[],
  { hasOpenPost }: { hasOpenPost: boolean },
): OverallState {
  const knownStates = monitorStates.filter((state) => state !== 'paused' && state !== 'pending')
  const downCount = knownStates.filter((state) => state === 'down').length
  if (downCount > 0) return downCount === knownStates.length ? 'down' : 'partly_down'
  if (hasOpenPost) return 'incident'
  if (knownStates.includes('maintenance')) return 'maintenance'
  return knownStates.length > 0 ? 'up' : 'unknown'
}

/** Each style sheet has the colors of the tones. */
export const stateTones = ['good', 'bad', 'warn', 'info', 'idle'] as const
export type StateTone = (typeof stateTones)[number]

export const overallStateTexts: Record<OverallState, string> = {
  up: 'All systems operational',
  partly_down: 'Some systems are down',
  down: 'All systems are down',
  incident: 'Incident in progress',
  maintenance: 'Maintenance in progress',
  unknown: 'No data yet',
}

export const overallStateTones: Record<OverallState, StateTone> = {
  up: 'good',
  partly_down: 'warn',
  down: 'bad',
  incident: 'warn',
  maintenance: 'info',
  unknown: 'idle',
}

export const monitorStateTexts: Record<PublicMonitorState, string> = {
  up: 'Operational',
  down: 'Down',
  maintenance: 'Under maintenance',
  pending: 'No data yet',
  paused: 'Paused',
}

export const postStateTexts: Record<PostState, string> = {
  investigating: 'Investigating',
  identified: 'Identified',
  monitoring: 'Monitoring',
  resolved: 'Resolved',
}

export const postStateTones: Record<PostState, StateTone> = {
  investigating: 'bad',
  identified: 'warn',
  monitoring: 'info',
  resolved: 'good',
}
