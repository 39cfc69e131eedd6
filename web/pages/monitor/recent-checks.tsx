/** The last single checks, newest on the right. */

import { toSentence } from '../../lib/causes.ts'
import { formatDateTimeWithSeconds, formatMs } from '../../lib/format.ts'
import type { Check } from './queries.ts'

const PLACES = 60
const STEP = 6
const WIDTH = 4
const HEIGHT = 24

export function Heartbeat({ recent }: { recent: readonly Check[] }) {
  const shown = recent.slice(0, PLACES)
  const label = labelOf(shown)
  return (
    <figure class="monitor-heartbeat">
      <figcaption class="small muted">{label}</figcaption>
      <svg viewBox={`0 0 ${PLACES * STEP} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {Array.from({ length: PLACES }, (_, place) => {
          const check = shown[PLACES - 1 - place]
          const kind = check === undefined ? 'idle' : check.ok ? 'up' : 'down'
          return (
            // A failed one is told by its height as well.
            <rect
              key={check?.checked_at ?? place}
              class={`monitor-beat-${kind}`}
              x={place * STEP + (STEP - WIDTH) / 2}
              width={WIDTH}
              y={kind === 'up' ? 4 : kind === 'down' ? 0 : 10}
              height={kind === 'up' ? HEIGHT - 8 : kind === 'down' ? HEIGHT : 4}
              rx="1"
            >
              {check && <title>{sentenceOf(check)}</title>}
            </rect>
          )
        })}
      </svg>
    </figure>
  )
}

function labelOf(shown: readonly Check[]): string {
  if (shown.length === 0) return 'No checks in the last day'
  const failed = shown.filter(({ ok }) => !ok).length
  if (shown.length === 1) return `The last check: ${failed === 0 ? 'fine' : 'failed'}`
  return `The last ${shown.length} checks: ${failed === 0 ? 'all fine' : `${failed} failed`}`
}

function sentenceOf({ checked_at, ok, response_ms, detail }: Check): string {
  const what = ok ? `fine, in ${formatMs(response_ms)}` : detail === null ? 'failed' : `failed. ${toSentence(detail)}`
  return `${formatDateTimeWithSeconds(checked_at)}: ${what}`
}
