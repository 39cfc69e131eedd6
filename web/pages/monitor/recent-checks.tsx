/** The most recent checks as bars, newest on the right. */
import { ChartTooltips, type TooltipDetails } from '../../charts/tooltips.tsx'
import { formatDateTimeWithSeconds, formatMs } from '../../lib/format.ts'
import type { RecentCheck } from './queries.ts'
import { describeFailure } from './single-checks.ts'

const BAR_COUNT = 60
/** In SVG units, from the start of one bar to the start of the next. */
const BAR_SPACING = 6
const BAR_WIDTH = 4
const HEIGHT = 24

export function RecentChecks({ checks }: { checks: readonly RecentCheck[] }) {
  const findCheck = (index: number) => checks[BAR_COUNT - 1 - index]
  const label = summarizeChecks(checks.slice(0, BAR_COUNT))
  return (
    <figure class="monitor-recent-checks">
      <figcaption class="small muted">{label}</figcaption>
      <ChartTooltips describe={(_chart, _id, index) => describeCheck(findCheck(index))}>
        <svg
          viewBox={`0 0 ${BAR_COUNT * BAR_SPACING} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={label}
          data-chart="checks"
          data-points={BAR_COUNT}
        >
          {Array.from({ length: BAR_COUNT }, (_, index) => {
            const check = findCheck(index)
            const state = check === undefined ? 'idle' : check.ok ? 'up' : 'down'
            return (
              // A failed check also has a taller bar, so that colour isn't the only difference.
              <rect
                key={check?.checked_at ?? index}
                class={`monitor-check-${state}`}
                x={index * BAR_SPACING + (BAR_SPACING - BAR_WIDTH) / 2}
                width={BAR_WIDTH}
                y={state === 'up' ? 4 : state === 'down' ? 0 : 10}
                height={state === 'up' ? HEIGHT - 8 : state === 'down' ? HEIGHT : 4}
                rx="1"
              />
            )
          })}
        </svg>
      </ChartTooltips>
    </figure>
  )
}

function summarizeChecks(checks: readonly RecentCheck[]): string {
  if (checks.length === 0) return 'No checks in the last 24 hours'
  const failedCount = checks.filter(({ ok }) => !ok).length
  if (checks.length === 1) return `Last check: ${failedCount === 0 ? 'passed' : 'failed'}`
  return `Last ${checks.length} checks: ${failedCount === 0 ? 'all passed' : `${failedCount} failed`}`
}

function describeCheck(check: RecentCheck | undefined): TooltipDetails | undefined {
  if (check === undefined) return undefined
  const title = formatDateTimeWithSeconds(check.checked_at)
  if (check.ok) {
    const value = check.response_ms === null ? 'Passed' : `Passed in ${formatMs(check.response_ms)}`
    return { title, value, tone: 'up' }
  }
  return { title, value: 'Failed', note: describeFailure(check), tone: 'down' }
}
