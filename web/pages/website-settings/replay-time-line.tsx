/**
 * A year with one bar for each week. A bar is red if Belfry would have sent an alert in that week. It is grey if Belfry
 * did not have the two weeks of visits yet that alerts need.
 */
import type { ReplayRecord } from '../../../src/impact/replay/schema.ts'
import { Tooltip } from '../../components/tooltip.tsx'
import { formatDate, formatDateTime } from '../../lib/format.ts'
import { listMonthLabels, listReplayWeeks, type ReplayWeek } from './replay-weeks.ts'

export function ReplayTimeLine({ replay }: { replay: ReplayRecord }) {
  return (
    // The list below says the same in words.
    <div aria-hidden="true">
      <div class="replay-weeks">
        {listReplayWeeks(replay).map((week) => (
          <Tooltip
            key={week.end.getTime()}
            class={`replay-week replay-week-${week.state}`}
            content={<WeekDetails week={week} />}
          >
            <i />
          </Tooltip>
        ))}
      </div>
      <div class="replay-months">
        {listMonthLabels(replay.to).map(({ text, percent }) => (
          <span key={text} style={{ left: `${percent}%` }}>
            {text}
          </span>
        ))}
      </div>
    </div>
  )
}

const emptyWeekTexts = { quiet: 'No alerts', idle: 'No alerts yet: Belfry first needs two weeks of visits' } as const

function WeekDetails({ week: { start, end, alarms, state } }: { week: ReplayWeek }) {
  return (
    <>
      <strong>
        {formatDate(start)} – {formatDate(end)}
      </strong>
      {state !== 'alerted' && <div class="muted">{emptyWeekTexts[state]}</div>}
      {alarms.map(({ alerted_at }) => (
        <div key={alerted_at}>Alert on {formatDateTime(alerted_at)}</div>
      ))}
    </>
  )
}
