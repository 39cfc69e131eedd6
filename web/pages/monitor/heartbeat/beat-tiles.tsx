import type { BeatMeta } from '../../../../src/heartbeats/schema.ts'
import { formatDateTime, formatDurationSeconds, formatRelativeTime } from '../../../lib/format.ts'
import { useServerNow } from '../../../lib/server-clock.ts'
import { Tile } from '../tile.tsx'

/** `meta` is undefined while loading. */
export function BeatTiles({ meta }: { meta: BeatMeta | undefined }) {
  const now = useServerNow(true)
  return (
    <dl class="panel monitor-tiles">
      <TimeTile name="Last beat" at={meta?.last_beat_at} noneText="None yet" now={now} />
      <NextBeatTile at={meta?.next_expected_at} now={now} />
      {meta?.run_started_at && (
        <Tile
          name="Running for"
          value={formatDurationSeconds(Math.max(0, now - Date.parse(meta.run_started_at)) / 1_000)}
          note={`Since ${formatDateTime(meta.run_started_at)}`}
        />
      )}
    </dl>
  )
}

interface TimeTileProps {
  name: string
  /** Undefined while loading. */
  at: string | null | undefined
  noneText: string
  now: number
}

function TimeTile({ name, at, noneText, now }: TimeTileProps) {
  // A non-breaking space keeps the height while loading.
  if (at == null)
    return <Tile name={name} value={at === undefined ? '\u00a0' : '–'} note={at === null ? noneText : '\u00a0'} />
  return <Tile name={name} value={formatRelativeTime(at, Math.max(now, Date.parse(at)))} note={formatDateTime(at)} />
}

function NextBeatTile({ at, now }: Pick<TimeTileProps, 'at' | 'now'>) {
  const name = 'Next beat expected'
  if (at == null) return <TimeTile name={name} at={at} noneText="After the first beat" now={now} />
  const lateSeconds = (now - Date.parse(at)) / 1_000
  if (lateSeconds < 1) return <Tile name={name} value={formatRelativeTime(at, now)} note={formatDateTime(at)} />
  return (
    <Tile
      name={name}
      value={`${formatDurationSeconds(lateSeconds)} late`}
      note={`Since ${formatDateTime(at)}`}
      tone="warn"
    />
  )
}
