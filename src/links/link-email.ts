/** Emails with at most one link, about an account or an invitation: as text and as HTML. This module is pure. */
import type { Email } from '../channels/kinds/email.ts'
import { escapeHtml } from '../lib/text.ts'
import { formatEmailHtml } from '../mail/email-html.ts'
import { formatButtons, formatHeading, formatMutedLink, formatParagraph, type MailLink } from '../mail/parts.ts'

export interface LinkEmail {
  to: string
  subject: string
  /** The kind of email, shown next to the name of the product. */
  category: string
  heading: string
  paragraphs: readonly string[]
  link?: MailLink
  /** Says why the recipient gets the email, and what to do if they don't expect it. */
  reason: string
}

type EmailBody = Required<Pick<Email, 'subject' | 'text' | 'html' | 'headers'>>

const BLOCK_LABEL = 'Block all emails from this server'

/** With `blockUrl`, the recipient can block all emails from this server. */
export function formatLinkEmail(email: LinkEmail, blockUrl: string): EmailBody {
  const { subject, category, heading, paragraphs, link, reason } = email
  const sections = [
    heading,
    ...paragraphs,
    ...(link === undefined ? [] : [`${link.label}:\n${link.url}`]),
    `-- \n${reason}\n${BLOCK_LABEL}: ${blockUrl}`,
  ]
  const contentHtml = [
    formatHeading(heading, 'margin-bottom:12px'),
    ...paragraphs.map((paragraph) => formatParagraph(paragraph)),
    formatButtons(link === undefined ? [] : [link]),
  ]
  return {
    subject,
    text: `${sections.join('\n\n')}\n`,
    html: formatEmailHtml({
      title: subject,
      preview: paragraphs[0] ?? '',
      category,
      contentHtml: contentHtml.join(''),
      footerHtml: `${escapeHtml(reason)} ${formatMutedLink({ label: BLOCK_LABEL, url: blockUrl })}`,
    }),
    // Exchange servers ignore Auto-Submitted, and send automatic replies unless this header is present.
    headers: { 'X-Auto-Response-Suppress': 'All' },
  }
}
