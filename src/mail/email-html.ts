/** The frame of every email: one column, laid out with tables, without scripts and remote images. */
import { escapeHtml } from '../lib/text.ts'
import { backgroundAttributes, borderAttributes, formatStyleElements, textColorAttributes } from './colors.ts'
import { markHtml } from './mark.ts'
import { layoutTable } from './parts.ts'

const font = `font-family:Inter,-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif`

interface EmailParts extends BodyParts {
  title: string
  /** What mail programs show next to the subject. */
  preview: string
}

interface BodyParts {
  /** The kind of email, shown next to the name of the product. */
  category: string
  /** Table rows above the content, from `formatBand`. */
  bandHtml?: string
  contentHtml: string
  footerHtml: string
}

export function formatEmailHtml({ title, preview, ...parts }: EmailParts): string {
  const body = formatBody(preview, parts)
  return `<!doctype html>
<html lang="en" style="color-scheme:light dark"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${escapeHtml(title)}</title>
${formatStyleElements(body)}</head>
${body}</html>
`
}

function formatBody(preview: string, { category, bandHtml = '', contentHtml, footerHtml }: BodyParts): string {
  const topRadius = bandHtml === '' ? '11px 11px' : '0 0'
  const card = `${bandHtml}<tr><td ${backgroundAttributes('card', `border-radius:${topRadius} 11px 11px;padding:24px`)}><div ${textColorAttributes('text', 'font-size:16px;line-height:1.5')}>
${contentHtml}</div></td></tr>`
  return `<body ${backgroundAttributes('page', `margin:0;padding:0;${font};-webkit-text-size-adjust:100%`)}>
<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(preview)}</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" ${backgroundAttributes('page')}><tr><td align="center" style="padding:20px 8px 32px;${font}">
${onlyInOutlook('<table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0"><tr><td>')}
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px;${font}">
<tr><td style="padding:0 4px 14px">${formatMasthead(category)}</td></tr>
<tr><td ${borderAttributes('', 'border-radius:12px')}><table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">${card}</table></td></tr>
<tr><td ${textColorAttributes('muted', 'padding:16px 24px 0;font-size:13px;line-height:1.5')}>${footerHtml}</td></tr>
</table>
${onlyInOutlook('</td></tr></table>')}
</td></tr></table></body>`
}

/** Outlook on Windows ignores `max-width`, so it gets a table of fixed width. */
const onlyInOutlook = (html: string) => `<!--[if mso]>${html}<![endif]-->`

/** The mark and the name of the product, and the kind of email. */
function formatMasthead(category: string): string {
  const mark = `<td width="28" height="28" valign="middle" ${backgroundAttributes('accentShape', 'width:28px;height:28px;border-radius:7px')}>${markHtml}</td>`
  const name = `<td ${textColorAttributes('text', 'padding-left:9px;font-size:17px;line-height:28px;font-weight:700;letter-spacing:-0.01em')}>Belfry</td>`
  const kind = `<td align="right" ${textColorAttributes('muted', 'font-size:13px;line-height:28px')}>${escapeHtml(category)}</td>`
  return layoutTable(`<tr>${mark}${name}${kind}</tr>`)
}
