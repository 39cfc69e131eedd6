import { useEffect, useRef, useState } from 'preact/hooks'
import type { MonitorStatus } from '../../../src/shared/monitors.ts'
import type { OverviewMonitor } from '../../lib/queries.ts'
import { describeStatusChanges } from './summary.ts'

/** Status changes within this time are announced together. */
const ANNOUNCE_DELAY_MS = 1_500

const mapStatuses = (monitors: readonly OverviewMonitor[]): ReadonlyMap<number, MonitorStatus> =>
  new Map(monitors.map(({ id, status }) => [id, status]))

/** The latest status changes in words, for screen readers: the text of a live region. */
export function useAnnouncement(monitors: readonly OverviewMonitor[]): string {
  const [screenReaderText, setScreenReaderText] = useState('')
  const latestMonitors = useRef(monitors)
  const announcedStatuses = useRef<ReadonlyMap<number, MonitorStatus> | undefined>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  latestMonitors.current = monitors

  useEffect(() => {
    announcedStatuses.current ??= mapStatuses(monitors)
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      const text = describeStatusChanges(announcedStatuses.current ?? new Map(), latestMonitors.current)
      announcedStatuses.current = mapStatuses(latestMonitors.current)
      if (text !== '') setScreenReaderText(text)
    }, ANNOUNCE_DELAY_MS)
  }, [monitors])
  useEffect(() => () => clearTimeout(timer.current), [])
  return screenReaderText
}
