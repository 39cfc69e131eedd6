/** What the silence watch would have done in the last 12 months: the alerts on a time line and in a list. */
import { useState } from 'preact/hooks'
import type { ReplayRecord } from '../../../src/impact/replay-schema.ts'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { formatDateTime, formatMonth } from '../../lib/format.ts'
import { describeAlarms, describeDetection, describeExcess, formatMinutes, isSlow } from './replay-words.ts'

/** More are hidden behind a button. */
const MAX_LISTED_ALARMS = 5

export function SilenceReplay({ replay }: { replay: ReplayRecord }) {
  if (replay.basis !== null) return <p class="muted">{missingReplayTexts[replay.basis]}</p>
  const detection = describeDetection(replay)
  return (
    <>
      {replay.exceeds_budget ? (
        <Notice tone="warn">
          {describeExcess(replay)} Allow more false alarms, or watch its server with a monitor instead.
        </Notice>
      ) : (
        <p class="replay-result">{describeAlarms(replay)}</p>
      )}
      <ReplayTimeLine replay={replay} />
      <AlarmList alarms={replay.alarms} />
      {detection && <p class="small muted">{detection}</p>}
      {isSlow(replay) && (
        <p class="small muted">
          With so few visits, gaps of hours are normal. A monitor notices sooner if the server is down.
        </p>
      )}
    </>
  )
}

const missingReplayTexts = {
  too_little_history:
    'Belfry needs two weeks of visits before it knows what is usual. You can turn this on now: it begins then.',
  too_little_traffic: 'This website has too few visits to tell silence from chance.',
} as const

function ReplayTimeLine({ replay: { from, to, alarms } }: { replay: ReplayRecord }) {
  const start = Date.parse(from)
  const length = Date.parse(to) - start
  const toPercent = (at: Date | string) => `${((new Date(at).getTime() - start) / length) * 100}%`
  return (
    // The list below says the same in words.
    <div class="replay-line" aria-hidden="true">
      <div class="replay-track">
        {alarms.map(({ alerted_at, gap_minutes }) => (
          <i
            key={alerted_at}
            style={{ left: toPercent(alerted_at) }}
            title={`${formatDateTime(alerted_at)}: no visits for ${formatMinutes(gap_minutes)}`}
          />
        ))}
      </div>
      <div class="replay-months">
        {listMonths(new Date(from), new Date(to)).map((month) => (
          <span key={month.getTime()} style={{ left: toPercent(month) }}>
            {formatMonth(month)}
          </span>
        ))}
      </div>
    </div>
  )
}

/** The first day of every second month, so that the labels have room on a phone. */
function listMonths(from: Date, to: Date): Date[] {
  const months: Date[] = []
  for (let month = new Date(from.getFullYear(), from.getMonth() + 1); month < to; ) {
    months.push(month)
    month = new Date(month.getFullYear(), month.getMonth() + 2)
  }
  return months
}

function AlarmList({ alarms }: Pick<ReplayRecord, 'alarms'>) {
  const [showsAll, setShowsAll] = useState(false)
  if (alarms.length === 0) return null
  const newestFirst = alarms.toReversed()
  const listed = showsAll ? newestFirst : newestFirst.slice(0, MAX_LISTED_ALARMS)
  return (
    <>
      <ul class="replay-alarms" aria-label="Alerts that it would have sent">
        {listed.map(({ started_at, alerted_at, gap_minutes }) => (
          <li key={alerted_at}>
            <time dateTime={alerted_at}>{formatDateTime(alerted_at)}</time>
            <span class="muted" title={`The last visit was at ${formatDateTime(started_at)}.`}>
              no visits for {formatMinutes(gap_minutes)}
            </span>
          </li>
        ))}
      </ul>
      {listed.length < alarms.length && (
        <div>
          <Button small onClick={() => setShowsAll(true)}>
            Show all {alarms.length}
          </Button>
        </div>
      )}
    </>
  )
}
