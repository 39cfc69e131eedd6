/** The alerts that Belfry would have sent in the last 12 months because visits stopped, on a timeline and in a list. */
import { CalendarPlus } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { ReplayRecord } from '../../../src/impact/replay/schema.ts'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { formatDateTime, formatDurationSeconds } from '../../lib/format.ts'
import { ReplayTimeLine } from './replay-time-line.tsx'
import {
  describeAlarms,
  describeDetection,
  describeExcess,
  describeQuietAlarms,
  describeSlowness,
  describeSuggestion,
} from './replay-words.ts'

/** If there are more alerts, a button shows all of them. */
const MAX_LISTED_ALARMS = 5

interface SilenceReplayProps {
  replay: ReplayRecord
  hasStopAlerts: boolean
  /** Called when the user adds the suggested days with few visits to the quiet days. */
  onSuggestion: () => void
}

export function SilenceReplay({ replay, hasStopAlerts, onSuggestion }: SilenceReplayProps) {
  const detection = describeDetection(replay)
  const slowness = describeSlowness(replay)
  const quietDays = describeQuietAlarms(replay)
  return (
    <>
      {replay.exceeds_budget ? (
        <Notice tone="warn">
          {describeExcess(replay, hasStopAlerts)}{' '}
          {quietDays ?? (
            <>
              If these were outages, allow more false alarms above. Otherwise, visits are too irregular:{' '}
              <Link href="/monitors/new">add an uptime monitor</Link> instead.
            </>
          )}
        </Notice>
      ) : (
        <p class="replay-result">
          {describeAlarms(replay)}
          {quietDays && ` ${quietDays}`}
        </p>
      )}
      {quietDays && (
        <div>
          <Button small icon={CalendarPlus} onClick={onSuggestion}>
            {describeSuggestion(replay)}
          </Button>
        </div>
      )}
      <ReplayTimeLine replay={replay} />
      <AlarmList alarms={replay.alarms} />
      {detection && (
        <p class="small muted">
          {detection} {slowness}
        </p>
      )}
    </>
  )
}

function AlarmList({ alarms }: Pick<ReplayRecord, 'alarms'>) {
  const [showsAll, setShowsAll] = useState(false)
  if (alarms.length === 0) return null
  const newestFirst = alarms.toReversed()
  const listedAlarms = showsAll ? newestFirst : newestFirst.slice(0, MAX_LISTED_ALARMS)
  return (
    <>
      <ul class="replay-alarms" aria-label="Alerts that Belfry would have sent">
        {listedAlarms.map((alarm) => (
          <li key={alarm.alerted_at}>
            <time dateTime={alarm.alerted_at}>{formatDateTime(alarm.alerted_at)}</time>
            <span class="muted">{describeGap(alarm)}</span>
          </li>
        ))}
      </ul>
      {alarms.length > MAX_LISTED_ALARMS && (
        <div>
          <Button small onClick={() => setShowsAll(!showsAll)}>
            {showsAll ? 'Show fewer' : `Show all ${alarms.length}`}
          </Button>
        </div>
      )}
    </>
  )
}

/** "no visits for 5 h 7 min". */
const describeGap = ({ gap_minutes }: ReplayRecord['alarms'][number]) =>
  `no visits for ${formatDurationSeconds(gap_minutes * 60)}`
