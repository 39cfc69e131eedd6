/** The email that asks somebody to confirm a subscription. An unconfirmed address gets no other email. */
import { toVisibleLine } from '../../lib/text.ts'
import { formatButtons, formatHeading, formatParagraph } from '../../mail/parts.ts'
import { MAX_PAGE_TITLE_LENGTH } from '../../shared/status-pages.ts'
import type { StatusEmailParts } from './compose-email.ts'
import type { Recipient } from './content-store.ts'
import type { SubscriberLinks } from './links.ts'
import { PENDING_DAYS } from './subscription-store.ts'

export function writeConfirmation({ page }: Recipient, { confirm }: SubscriberLinks): StatusEmailParts {
  const title = toVisibleLine(page.title, MAX_PAGE_TITLE_LENGTH)
  const question = `Do you want to get emails from "${title}" about outages, updates and planned maintenance?`
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
