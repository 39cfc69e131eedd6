/** The email about a post on a status page, or about an update of it. */
import { formatLocalTime } from '../../lib/local-time.ts'
import { toVisibleLine } from '../../lib/text.ts'
import { textColorAttributes } from '../../mail/colors.ts'
import {
  breakAnywhere,
  formatBand,
  formatButtons,
  formatFactTable,
  formatHeading,
  type MailTone,
} from '../../mail/parts.ts'
import { MAX_PAGE_TITLE_LENGTH, MAX_POST_TITLE_LENGTH, type PostState } from '../../shared/status-pages.ts'
import { renderMarkdown } from '../render/markdown.ts'
import { renderPlainText } from '../render/plain-text.ts'
import { postStateTexts } from '../words.ts'
import type { StatusEmailParts } from './compose-email.ts'
import type { PostUpdateContent, Recipient } from './content-store.ts'

const tones: Record<PostState, MailTone> = {
  investigating: 'down',
  identified: 'warn',
  monitoring: 'accent',
  resolved: 'up',
}

export function writePostUpdate({ page }: Recipient, update: PostUpdateContent, pageUrl: string): StatusEmailParts {
  const pageTitle = toVisibleLine(page.title, MAX_PAGE_TITLE_LENGTH)
  const title = toVisibleLine(update.title, MAX_POST_TITLE_LENGTH)
  const state = postStateTexts[update.state]
  const plainBody = renderPlainText(update.body)
  const facts = [
    ...(update.labels.length === 0 ? [] : [{ label: 'Affected', value: update.labels.join(', ') }]),
    { label: 'Posted', value: formatLocalTime(update.at, page.timeZone) },
  ]
  return {
    subject: `${pageTitle}: ${title} (${state.toLowerCase()})`,
    preview: toVisibleLine(plainBody, 140),
    category: pageTitle,
    bandHtml: formatBand(tones[update.state], update.isFirst ? state : `Update: ${state}`),
    contentHtml: [
      formatHeading(title, 'margin-bottom:12px'),
      `<div style="${breakAnywhere}">${colorLinks(renderMarkdown(update.body))}</div>\n`,
      formatFactTable(facts),
      formatButtons([{ label: 'View status page', url: pageUrl }]),
    ].join(''),
    text: [
      `${state}: ${title}`,
      plainBody,
      facts.map(({ label, value }) => `${label}: ${value}`).join('\n'),
      `Status page: ${pageUrl}`,
    ].join('\n\n'),
  }
}

/** The HTML of Markdown has no styles, and some mail programs show links without style in a blue that is hard to read at night. */
const colorLinks = (html: string) => html.replaceAll('<a ', `<a ${textColorAttributes('accent')} `)
