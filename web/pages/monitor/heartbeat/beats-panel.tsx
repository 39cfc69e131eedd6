/** The latest beats and the last output of a heartbeat. */
import { CircleCheck, CirclePlay, CircleX, type LucideIcon } from 'lucide-preact'
import { useState } from 'preact/hooks'
import type { BeatList, BeatMeta, BeatRecord } from '../../../../src/heartbeats/schema.ts'
import { Button } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Panel } from '../../../components/page.tsx'
import { DateTime, RelativeTime } from '../../../components/time.tsx'
import { formatMs } from '../../../lib/format.ts'
import { cleanOutput } from './clean-output.ts'

const MAX_COLLAPSED_BEATS = 8

interface BeatStyle {
  label: string
  tone: 'up' | 'down' | 'idle'
  icon: LucideIcon
}

function getBeatStyle({ kind, failed }: BeatRecord): BeatStyle {
  if (failed) return { label: 'Failed', tone: 'down', icon: CircleX }
  if (kind === 'start') return { label: 'Started', tone: 'idle', icon: CirclePlay }
  return { label: kind === 'finish' ? 'Finished' : 'Alive', tone: 'up', icon: CircleCheck }
}

export function BeatsPanel({ beats }: { beats: BeatList }) {
  const [isExpanded, setExpanded] = useState(false)
  const { data } = beats
  if (data.length === 0) return null
  return (
    <Panel title="Latest beats">
      <table class="monitor-beats">
        <thead>
          <tr>
            <th>Beat</th>
            <th>Received</th>
            <th class="monitor-beat-figure">Duration</th>
            <th class="monitor-beat-figure">Exit code</th>
          </tr>
        </thead>
        <tbody>
          {(isExpanded ? data : data.slice(0, MAX_COLLAPSED_BEATS)).map((beat) => (
            <BeatRow key={beat.id} beat={beat} />
          ))}
        </tbody>
      </table>
      {!isExpanded && data.length > MAX_COLLAPSED_BEATS && (
        <Button onClick={() => setExpanded(true)}>Show all {data.length}</Button>
      )}
    </Panel>
  )
}

function BeatRow({ beat }: { beat: BeatRecord }) {
  const { label, tone, icon } = getBeatStyle(beat)
  return (
    <tr>
      <td>
        <span class={`monitor-beat monitor-beat-${tone}`}>
          <Icon icon={icon} />
          {label}
        </span>
      </td>
      <td class="numbers">
        <DateTime at={beat.received_at} hasSeconds />
      </td>
      <td class="numbers monitor-beat-figure">{formatMs(beat.duration_ms)}</td>
      <td class="numbers monitor-beat-figure">{beat.exit_code ?? '–'}</td>
    </tr>
  )
}

export function OutputPanel({ meta: { last_output: output, last_output_at: at } }: { meta: BeatMeta }) {
  if (output === null || at === null) return null
  const text = cleanOutput(output)
  return (
    <Panel title="Last output" actions={<CopyButton text={text} label="Copy" />}>
      <p class="small muted">
        Received <RelativeTime at={at} />
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard can scroll only a focused element */}
      <section class="monitor-output" tabIndex={0} aria-label="Last output">
        <pre>{text === '' ? <span class="muted">Empty</span> : text}</pre>
      </section>
    </Panel>
  )
}
