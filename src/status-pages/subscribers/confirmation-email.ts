/** The email that asks somebody to confirm a subscription. The only one that an unconfirmed address ever gets. */
import { toVisibleLine } from '../../lib/text.ts'
import { formatButtons, formatHeading, formatParagraph } from '../../mail/parts.ts'
import { MAX_PAGE_TITLE_LENGTH } from '../../shared/status-pages.ts'
import type { StatusEmailParts } from './compose-email.ts'
import type { Recipient } from './content-store.ts'
import type { SubscriberLinks } from './links.ts'
import { PENDING_DAYS } from './subscription-store.ts'

export function writeConfirmation({ page }: Recipient, { confirm }: SubscriberLinks): StatusEmailParts {
  const title = toVisibleLine(page.title, MAX_PAGE_TITLE_LENGTH)
  const question = `Do you want to get an email when there is an outage, a planned maintenance or an update at "${title}"?`
  const ignore = `If you didn't ask for this, ignore this email. You will get no updates. The link works for ${PENDING_DAYS} days.`
  return {
    subject: `Confirm your subscription to ${title}`,
    preview: 'Open the link to get updates by email.',
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
