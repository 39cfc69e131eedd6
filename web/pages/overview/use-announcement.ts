import { useEffect, useRef, useState } from 'preact/hooks'
import type { MonitorStatus } from '../../../src/monitors/schema.ts'
import type { OverviewMonitor } from '../../lib/queries.ts'
import { tellChanges } from './words.ts'

/** What changes meanwhile is told together. */
const TOGETHER_MS = 1_500

const statusesOf = (monitors: readonly OverviewMonitor[]): ReadonlyMap<number, MonitorStatus> =>
  new Map(monitors.map(({ id, status }) => [id, status]))

/** A sentence about what went down or came back last, for a live region. */
export function useAnnouncement(monitors: readonly OverviewMonitor[]): string {
  const [sentence, setSentence] = useState('')
  const latest = useRef(monitors)
  const told = useRef<ReadonlyMap<number, MonitorStatus> | undefined>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  latest.current = monitors

  useEffect(() => {
    told.current ??= statusesOf(monitors)
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      const text = tellChanges(told.current ?? new Map(), latest.current)
      told.current = statusesOf(latest.current)
      if (text !== '') setSentence(text)
    }, TOGETHER_MS)
  }, [monitors])
  useEffect(() => () => clearTimeout(timer.current), [])
  return sentence
}
