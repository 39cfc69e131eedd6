/** Turns a message to a subscriber into an email. */
import type { Secret } from '../../lib/secret.ts'
import { escapeHtml } from '../../lib/text.ts'
import { formatEmailHtml } from '../../mail/layout.ts'
import { formatMutedLink } from '../../mail/parts.ts'
import { createUnsubscribeHeaders } from '../../mail/unsubscribe-headers.ts'
import type { Email } from '../../providers/kinds/email.ts'
import { toStatusPageUrls } from '../urls.ts'
import { writeConfirmation } from './confirmation-email.ts'
import type { MessageContent } from './content-store.ts'
import { createSubscriberLinks, type SubscriberLinks } from './links.ts'
import { writeMaintenance } from './maintenance-email.ts'
import { writePostUpdate } from './post-update-email.ts'

/** The parts of an email that differ by kind. */
export interface StatusEmailParts {
  subject: string
  /** What mail programs show next to the subject. */
  preview: string
  /** Shown next to the name of the product: the kind of email, or the title of the status page. */
  category: string
  /** From `formatBand`. */
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
    headers: {
      ...createUnsubscribeHeaders(links.unsubscribe),
      'List-Id': `<${page.slug}.status.${new URL(baseUrl).hostname}>`,
      // Exchange servers send automatic replies in spite of Auto-Submitted, unless this header is there.
      'X-Auto-Response-Suppress': 'All',
    },
  }
}

function writeParts(content: MessageContent, links: SubscriberLinks, pageUrl: string): StatusEmailParts {
  if (content.kind === 'confirmation') return writeConfirmation(content, links)
  if (content.kind === 'post_update') return writePostUpdate(content, content.update, pageUrl)
  return writeMaintenance(content, content.maintenance, pageUrl)
}

function writeFooter({ kind, email, page }: MessageContent, links: SubscriberLinks): { text: string; html: string } {
  if (kind === 'confirmation') {
    const reason = `Sent to ${email}, because somebody entered this address on the status page "${page.title}".`
    return { text: reason, html: escapeHtml(reason) }
  }
  const reason = `Sent to ${email}, because you subscribed to the status page "${page.title}".`
  return {
    text: `${reason}\nChange what you get: ${links.manage}\nUnsubscribe: ${links.unsubscribe}`,
    html: `${escapeHtml(reason)}<br>${formatMutedLink({ label: 'Change what you get', url: links.manage })} · ${formatMutedLink({ label: 'Unsubscribe', url: links.unsubscribe })}`,
  }
}
