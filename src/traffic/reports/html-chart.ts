/** The seven days as columns of table cells: the only picture that every mail program shows. */
import { fill, ink, table } from './html-style.ts'
import type { Report } from './report.ts'
import { daysInWords } from './sentences.ts'
import { formatBriefly, weekdayOf } from './words.ts'

const HEIGHT = 88

export function chartHtml(report: Report): string {
  const most = Math.max(...report.days.map(({ visitors }) => visitors), 1)
  const columns = report.days.map(({ visitors }) => columnHtml(visitors, most)).join('')
  const names = report.days
    .map(
      ({ day }) =>
        `<td align="center" ${ink('muted', 'padding-top:6px;font-size:12px')}>${weekdayOf(day).slice(0, 3)}</td>`,
    )
    .join('')
  const body = `<tr>${columns}</tr><tr>${names}</tr>`
  // The numbers stand over the columns, but a screen reader would not know which day each is of.
  return `<div role="img" aria-label="${daysInWords(report)}">${table(body, 'table-layout:fixed')}</div>`
}

function columnHtml(visitors: number, most: number): string {
  const height = visitors === 0 ? 2 : Math.max(4, Math.round((visitors / most) * HEIGHT))
  const cell = `<td height="${height}" ${fill(visitors === 0 ? 'line' : 'bar', `height:${height}px;font-size:0;line-height:0;border-radius:3px 3px 0 0`)}>&nbsp;</td>`
  const number = `<div ${ink('text', 'padding-bottom:4px;font-size:12px;line-height:14px')}>${formatBriefly(visitors)}</div>`
  return `<td valign="bottom" align="center" height="${HEIGHT + 18}" style="height:${HEIGHT + 18}px;vertical-align:bottom;padding:0 3px">${number}${table(`<tr>${cell}</tr>`)}</td>`
}
