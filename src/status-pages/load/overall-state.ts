import type { OverallState, PublicMonitorState } from '../../shared/status-pages.ts'

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
