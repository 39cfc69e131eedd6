/** The chart of visitors by day, drawn with table cells, because some mail programs show no images. */
import { backgroundAttributes, textColorAttributes } from '../mail/colors.ts'
import { layoutTable } from '../mail/parts.ts'
import { formatShortCount, formatWeekday } from './format.ts'
import type { Report } from './report.ts'
import { describeDays } from './sentences.ts'

const MAX_BAR_HEIGHT_PX = 88
const LABEL_HEIGHT_PX = 18

export function formatChart(report: Report): string {
  const max = Math.max(...report.days.map(({ visitors }) => visitors), 1)
  const columnCells = report.days.map(({ visitors }) => formatColumn(visitors, max)).join('')
  const weekdayCells = report.days
    .map(
      ({ day }) =>
        `<td align="center" ${textColorAttributes('muted', 'padding-top:6px;font-size:12px')}>${formatWeekday(day).slice(0, 3)}</td>`,
    )
    .join('')
  const body = `<tr>${columnCells}</tr><tr>${weekdayCells}</tr>`
  // A screen reader would read all numbers first and then all days, so it gets a description instead.
  return `<div role="img" aria-label="${describeDays(report)}">${layoutTable(body, 'table-layout:fixed')}</div>`
}

function formatColumn(visitors: number, max: number): string {
  const height = visitors === 0 ? 2 : Math.max(4, Math.round((visitors / max) * MAX_BAR_HEIGHT_PX))
  const totalHeight = MAX_BAR_HEIGHT_PX + LABEL_HEIGHT_PX
  const barCell = `<td height="${height}" ${backgroundAttributes(visitors === 0 ? 'line' : 'chart', `height:${height}px;font-size:0;line-height:0;border-radius:4px 4px 0 0`)}>&nbsp;</td>`
  const label = `<div ${textColorAttributes('text', 'padding-bottom:4px;font-size:12px;line-height:14px')}>${formatShortCount(visitors)}</div>`
  return `<td valign="bottom" align="center" height="${totalHeight}" style="height:${totalHeight}px;vertical-align:bottom;padding:0 4px">${label}${layoutTable(`<tr>${barCell}</tr>`)}</td>`
}
