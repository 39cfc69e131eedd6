/** The response times of a monitor in the last 24 hours, as a small line with figures. */
import { formatCount } from '../../lib/format.ts'
import { buildSparklinePaths, SPARKLINE_HEIGHT, SPARKLINE_WIDTH } from '../../shared/sparkline-paths.ts'
import type { SnapshotMonitor } from '../snapshot.ts'

/** Few responses take longer than a second, and `toLocaleString` took half of the time of rendering a page of 100 monitors. */
const formatMs = (ms: number) => (ms < 1_000 ? `${ms}` : formatCount(ms))

/** Empty if there were no responses. */
export function renderResponseLine({ responseMs, responseTimes }: SnapshotMonitor): string {
  const values = responseTimes?.filter((value) => value !== null) ?? []
  if (responseTimes === null || responseMs === null || values.length === 0) return ''
  const { line, area } = buildSparklinePaths(responseTimes)
  const rangeHtml =
    values.length === 1 ? '' : `<span>${formatMs(Math.min(...values))} – ${formatMs(Math.max(...values))} ms</span>`
  return `<div class="response"><span>Response time<span class="hidden"> in the last 24 hours</span></span><svg class="spark" viewBox="0 0 ${SPARKLINE_WIDTH} ${SPARKLINE_HEIGHT}" preserveAspectRatio="none" aria-hidden="true"><path class="area" d="${area}"/><path class="stroke" d="${line}"/></svg><span class="figures"><b>${formatMs(Math.round(responseMs))} ms</b>${rangeHtml}</span></div>`
}
