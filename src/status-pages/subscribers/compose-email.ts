/** Turns a message to a subscriber into an email. */

import type { Email } from '../../channels/kinds/email.ts'
import { formatLocalTime } from '../../lib/local-time.ts'
import type { Secret } from '../../lib/secret.ts'
import { escapeHtml, toVisibleLine } from '../../lib/text.ts'
import { textColorAttributes } from '../../mail/colors.ts'
import { formatEmailHtml } from '../../mail/email-html.ts'
import {
  breakAnywhere,
  formatBand,
  formatButtons,
  formatFactTable,
  formatHeading,
  formatMutedLink,
  formatParagraph,
  type MailTone,
} from '../../mail/parts.ts'
import { createUnsubscribeHeaders } from '../../mail/unsubscribe-headers.ts'
import { MAX_MAINTENANCE_TITLE_LENGTH } from '../../shared/maintenances.ts'
import { postStateTexts, postStateTones, type StateTone } from '../../shared/page-states.ts'
import { MAX_PAGE_TITLE_LENGTH, MAX_POST_TITLE_LENGTH } from '../../shared/status-pages.ts'
import { renderMarkdown } from '../render/markdown.ts'
import { renderPlainText } from '../render/plain-text.ts'
import { toStatusPageUrls } from '../urls.ts'
import type { MaintenanceContent, MessageContent, MessageRecipient, PostUpdateContent } from './content-store.ts'
import { createSubscriberLinks, type SubscriberLinks } from './links.ts'
import { PENDING_DAYS } from './subscription-store.ts'

/** The parts of an email that differ by kind. */
interface StatusEmailParts {
  subject: string
  /** What mail programs show next to the subject. */
  preview: string
  /** Shown next to the name of the product: the kind of email, or the title of the status page. */
  category: string
  /** The result of `formatBand`. */
  bandHtml?: string
  contentHtml: string
  text: string
}

export function composeStatusEmail(
  { secret, baseUrl }: { secret: Secret; baseUrl: string },
  { messageId }: { messageId: string },
  content: MessageContent,
): Email {
  const { page, subscriberId, email } = content
  const links = createSubscriberLinks({ secret, baseUrl }, page.slug, { id: subscriberId, email })
  const pageUrl = toStatusPageUrls(page, baseUrl).page
  const { subject, preview, category, bandHtml, contentHtml, text } = writeParts(content, links, pageUrl)
  const footer = writeFooter(content, links)
  return {
    id: messageId,
    to: email,
    subject,
    text: `${text}\n\n--\n${footer.text}\n`,
    html: formatEmailHtml({
      title: subject,
      preview,
      category,
      ...(bandHtml !== undefined && { bandHtml }),
      contentHtml,
      footerHtml: footer.html,
    }),
    references: listReferences(content),
    headers: {
      ...createUnsubscribeHeaders(links.unsubscribe),
      'List-Id': `<${page.slug}.status.${new URL(baseUrl).hostname}>`,
      // Exchange servers ignore Auto-Submitted, and send automatic replies unless this header is present.
      'X-Auto-Response-Suppress': 'All',
    },
  }
}

/** All updates of a post refer to the same id, so that mail programs show them together. */
const listReferences = (content: MessageContent) =>
  content.kind === 'post_update'
    ? [`belfry-status-post-${content.update.postId}-${content.update.postedAt.getTime().toString(36)}`]
    : []

function writeParts(content: MessageContent, links: SubscriberLinks, pageUrl: string): StatusEmailParts {
  if (content.kind === 'confirmation') return writeConfirmation(content, links)
  if (content.kind === 'post_update') return writePostUpdate(content, content.update, pageUrl)
  return writeMaintenance(content, content.maintenance, pageUrl)
}

function writeFooter({ kind, email, page }: MessageContent, links: SubscriberLinks): { text: string; html: string } {
  if (kind === 'confirmation') {
    const reason = `You're receiving this because somebody entered ${email} on the status page "${page.title}".`
    return { text: reason, html: escapeHtml(reason) }
  }
  const reason = `You're receiving this because ${email} is subscribed to the status page "${page.title}".`
  return {
    text: `${reason}\nManage your subscription: ${links.manage}\nUnsubscribe: ${links.unsubscribe}`,
    html: `${escapeHtml(reason)}<br>${formatMutedLink({ label: 'Manage your subscription', url: links.manage })} · ${formatMutedLink({ label: 'Unsubscribe', url: links.unsubscribe })}`,
  }
}

/** Asks somebody to confirm a subscription. An unconfirmed address gets no other email. */
function writeConfirmation({ page }: MessageRecipient, { confirm }: SubscriberLinks): StatusEmailParts {
  const title = toVisibleLine(page.title, MAX_PAGE_TITLE_LENGTH)
  const question = `Do you want to get emails from "${title}" about each posted update and each planned maintenance?`
  const ignore = `The link works for ${PENDING_DAYS} days. If you didn't ask for this, ignore this email, and you will get no others.`
  return {
    subject: `Confirm your subscription to ${title}`,
    preview: 'Confirm to get updates by email.',
    category: 'Confirmation',
    contentHtml: [
      formatHeading('Confirm your subscription', 'margin-bottom:12px'),
      formatParagraph(question),
      formatButtons([{ label: 'Confirm subscription', url: confirm }]),
      `<div style="height:16px;line-height:16px">&nbsp;</div>${formatParagraph(ignore, 'muted')}`,
    ].join(''),
    text: `${question}\n\nConfirm the subscription: ${confirm}\n\n${ignore}`,
  }
}

const mailTones: Record<StateTone, MailTone> = { good: 'up', bad: 'down', warn: 'warn', info: 'info', idle: 'accent' }

function writePostUpdate({ page }: MessageRecipient, update: PostUpdateContent, pageUrl: string): StatusEmailParts {
  const pageTitle = toVisibleLine(page.title, MAX_PAGE_TITLE_LENGTH)
  const title = toVisibleLine(update.title, MAX_POST_TITLE_LENGTH)
  const state = postStateTexts[update.state]
  const plainBody = renderPlainText(update.body)
  const facts = [
    ...(update.labels.length === 0 ? [] : [{ label: 'Affected', value: update.labels.join(', ') }]),
    { label: 'Posted', value: formatLocalTime(update.at, page.timeZone) },
  ]
  return {
    // As for alerts, Gmail ignores the brackets, so all updates of a post form one conversation.
    subject: `[${state}] ${pageTitle}: ${title}`,
    preview: toVisibleLine(plainBody, 140),
    category: pageTitle,
    bandHtml: formatBand(mailTones[postStateTones[update.state]], update.isFirst ? state : `Update: ${state}`),
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

/**
 * Some mail programs show links without a style in a blue that is hard to read in dark mode. The HTML of Markdown has
 * no styles, so this adds a color to its links.
 */
const colorLinks = (html: string) => html.replaceAll('<a ', `<a ${textColorAttributes('accent')} `)

function writeMaintenance(
  { page }: MessageRecipient,
  maintenance: MaintenanceContent,
  pageUrl: string,
): StatusEmailParts {
  const { note, startsAt, endsAt, isRecurring, labels } = maintenance
  const pageTitle = toVisibleLine(page.title, MAX_PAGE_TITLE_LENGTH)
  const title = toVisibleLine(maintenance.title, MAX_MAINTENANCE_TITLE_LENGTH)
  const facts = [
    { label: 'Begins', value: formatLocalTime(startsAt, page.timeZone) },
    { label: 'Ends', value: formatLocalTime(endsAt, page.timeZone) },
    ...(isRecurring ? [{ label: 'Repeats', value: 'Yes. The status page shows the next dates.' }] : []),
    { label: 'Affected', value: labels.join(', ') },
  ]
  return {
    subject: `${pageTitle}: planned maintenance (${title})`,
    preview: `Begins ${formatLocalTime(startsAt, page.timeZone)}`,
    category: pageTitle,
    bandHtml: formatBand('info', 'Planned maintenance'),
    contentHtml: [
      formatHeading(title, 'margin-bottom:12px'),
      ...(note ?? '')
        .split(/\n+/)
        .filter(Boolean)
        .map((line) => formatParagraph(line)),
      formatFactTable(facts),
      formatButtons([{ label: 'View status page', url: pageUrl }]),
    ].join(''),
    text: [
      `Planned maintenance: ${title}`,
      ...(note ? [note] : []),
      facts.map(({ label, value }) => `${label}: ${value}`).join('\n'),
      `Status page: ${pageUrl}`,
    ].join('\n\n'),
  }
}
