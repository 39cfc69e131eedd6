/** The parts from which emails are built. Parameters are text unless their names end in `Html`. */
import { escapeHtml } from '../lib/text.ts'
import {
  backgroundAttributes,
  borderAttributes,
  type MailColor,
  markedBackgroundAttributes,
  textColorAttributes,
} from './colors.ts'

export const breakAnywhere = 'word-break:break-word;overflow-wrap:anywhere'

/** A table for layout, which screen readers ignore. */
export const layoutTable = (rowsHtml: string, style = '') =>
  `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="border-collapse:collapse;${style}">${rowsHtml}</table>`

export type MailTone = 'accent' | 'down' | 'info' | 'reminder' | 'up' | 'warn'

/** The first row of the card, which shows the state with a color and words. */
export function formatBand(tone: MailTone, text: string): string {
  const style = 'padding:14px 24px;border-radius:11px 11px 0 0'
  return `<tr><td ${markedBackgroundAttributes(`${tone}Soft`, `${tone}Shape`, style)}><div ${textColorAttributes(tone, `font-size:17px;line-height:1.35;font-weight:700;${breakAnywhere}`)}>${escapeHtml(text)}</div></td></tr>\n`
}

export const formatHeading = (text: string, style = '') =>
  `<h1 style="margin:0;font-size:24px;line-height:1.25;font-weight:700;letter-spacing:-0.01em;${breakAnywhere};${style}">${escapeHtml(text)}</h1>\n`

export const formatSubheading = (text: string, note = '') =>
  `<h2 style="margin:28px 0 8px;font-size:15px;line-height:1.4;font-weight:600">${escapeHtml(text)}${note && ` <span ${textColorAttributes('muted', 'font-weight:400;font-size:13px')}>${escapeHtml(note)}</span>`}</h2>\n`

export const formatParagraph = (text: string, color: MailColor = 'text') =>
  `<p ${textColorAttributes(color, `margin:0 0 12px;${breakAnywhere}`)}>${escapeHtml(text)}</p>\n`

/** A row of a list: a name on the left, a figure on the right. */
export const formatListRow = (nameHtml: string, valueHtml: string) =>
  `<tr><td ${borderAttributes('top', `padding:9px 12px 9px 0;font-size:15px;line-height:1.4;${breakAnywhere}`)}>${nameHtml}</td><td align="right" valign="top" ${borderAttributes('top', 'padding:9px 0;font-size:15px;line-height:1.4;white-space:nowrap;vertical-align:top;font-variant-numeric:tabular-nums')}>${valueHtml}</td></tr>\n`

/** A row of a list: a name above a sentence about it. */
export const formatEntryRow = (nameHtml: string, textHtml: string) =>
  `<tr><td ${borderAttributes('top', `padding:9px 0;font-size:15px;line-height:1.4;${breakAnywhere}`)}><strong>${nameHtml}</strong>${textHtml && `<br><span ${textColorAttributes('muted', 'font-size:14px')}>${textHtml}</span>`}</td></tr>\n`

/** A table of facts: labels on the left, values on the right. */
export function formatFactTable(facts: readonly { label: string; value: string }[]): string {
  const rows = facts.map(
    ({ label, value }) =>
      `<tr><td width="92" valign="top" ${borderAttributes('top', 'width:92px;padding:10px 12px 10px 0;vertical-align:top')}><span ${textColorAttributes('muted', 'font-size:14px;line-height:1.45')}>${escapeHtml(label)}</span></td>` +
      `<td valign="top" ${borderAttributes('top', `padding:10px 0;font-size:15px;line-height:1.4;vertical-align:top;${breakAnywhere}`)}>${escapeHtml(value)}</td></tr>\n`,
  )
  return rows.length === 0 ? '' : layoutTable(rows.join(''), 'margin-top:20px')
}

export interface MailLink {
  label: string
  url: string
}

/**
 * The first link has the accent color, the others are grey. The cells have the padding, because Outlook ignores the
 * padding of links.
 */
export function formatButtons(links: readonly MailLink[]): string {
  if (links.length === 0) return ''
  const buttons = links.map(({ label, url }, index) => {
    const cell =
      index === 0
        ? backgroundAttributes('accentShape', 'border-radius:8px;padding:11px 18px')
        : backgroundAttributes('raised', 'border-radius:8px;padding:11px 18px')
    const color = index === 0 ? 'onAccent' : 'text'
    const link = `<a href="${escapeHtml(url)}" ${textColorAttributes(color, 'display:inline-block;font-size:15px;line-height:20px;font-weight:600;text-decoration:none;white-space:nowrap')}>${escapeHtml(label)}</a>`
    return `<table role="presentation" align="left" cellpadding="0" cellspacing="0" border="0" style="margin:10px 10px 0 0"><tr><td ${cell}>${link}</td></tr></table>`
  })
  return layoutTable(`<tr><td style="padding-top:14px">${buttons.join('')}</td></tr>`)
}

export const formatMutedLink = ({ label, url }: MailLink) =>
  `<a href="${escapeHtml(url)}" ${textColorAttributes('muted', 'text-decoration:underline')}>${escapeHtml(label)}</a>`

/** The name of something in a list, which leads to its page. */
export const formatNameLink = ({ label, url }: MailLink) =>
  `<a href="${escapeHtml(url)}" ${textColorAttributes('accent', 'text-decoration:none')}>${escapeHtml(label)}</a>`
