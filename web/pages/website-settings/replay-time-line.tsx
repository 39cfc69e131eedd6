/** One bar for each week of the replay, red if the watch would have alerted in it. */
import type { ReplayRecord } from '../../../src/impact/replay-schema.ts'
import { DAY_MS } from '../../../src/shared/time.ts'
import { Tooltip } from '../../components/tooltip.tsx'
import { formatDate, formatDateTime, formatMonth } from '../../lib/format.ts'

const WEEK_MS = 7 * DAY_MS
/** Labels further to the right would be cut off. */
const MAX_LABEL_PERCENT = 90
const MAX_WEEKS_WITH_EVERY_MONTH = 30
const MIN_WEEKS_WITH_MONTHS = 9

type Period = Pick<ReplayRecord, 'from' | 'to' | 'alarms'>

export function ReplayTimeLine({ replay }: { replay: Period }) {
  return (
    // The list below says the same in words.
    <div class="replay-line" aria-hidden="true">
      <div class="replay-weeks">
        {listWeeks(replay).map(({ start, end, alarms }) => (
          <Tooltip
            key={start}
            class={alarms.length > 0 ? 'replay-week replay-week-alerted' : 'replay-week'}
            content={<WeekDetails start={start} end={end} alarms={alarms} />}
          >
            <i />
          </Tooltip>
        ))}
      </div>
      <div class="replay-dates">
        {listDates(replay).map(({ text, percent }) => (
          <span key={percent} style={{ left: `${percent}%` }}>
            {text}
          </span>
        ))}
      </div>
    </div>
  )
}

function WeekDetails({ start, end, alarms }: ReturnType<typeof listWeeks>[number]) {
  return (
    <>
      <strong>
        {formatDate(new Date(start))} – {formatDate(new Date(end))}
      </strong>
      {alarms.length === 0 && <div class="muted">No alerts</div>}
      {alarms.map(({ alerted_at }) => (
        <div key={alerted_at}>Alert on {formatDateTime(alerted_at)}</div>
      ))}
    </>
  )
}

/** The last week ends now, so the first one may be shorter. */
function listWeeks({ from, to, alarms }: Period) {
  const [first, last] = [Date.parse(from), Date.parse(to)]
  const count = Math.max(1, Math.ceil((last - first) / WEEK_MS))
  return Array.from({ length: count }, (_, index) => {
    const end = last - (count - 1 - index) * WEEK_MS
    const start = Math.max(first, end - WEEK_MS)
    // The first and the last instant of the replay belong to it, too.
    const isInWeek = (at: number) => (at > start || index === 0) && at <= end
    return { start, end, alarms: alarms.filter(({ alerted_at }) => isInWeek(Date.parse(alerted_at))) }
  })
}

/** Every month or every second one, so that the labels have room on a phone. Of a few weeks, only the first day. */
function listDates({ from, to }: Period): { text: string; percent: number }[] {
  const [first, last] = [new Date(from), new Date(to)]
  const lengthMs = last.getTime() - first.getTime()
  const weeks = lengthMs / WEEK_MS
  if (weeks < MIN_WEEKS_WITH_MONTHS) return [{ text: formatDate(first), percent: 0 }]
  const step = weeks > MAX_WEEKS_WITH_EVERY_MONTH ? 2 : 1
  const months: Date[] = []
  let month = new Date(first.getFullYear(), first.getMonth() + 1)
  while (month < last) {
    months.push(month)
    month = new Date(month.getFullYear(), month.getMonth() + step)
  }
  return months
    .map((at) => ({ text: formatMonth(at), percent: ((at.getTime() - first.getTime()) / lengthMs) * 100 }))
    .filter(({ percent }) => percent <= MAX_LABEL_PERCENT)
}
