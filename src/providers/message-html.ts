/** Messages as emails. */
import { escapeHtml } from '../lib/text.ts'
import { formatEmailHtml } from '../mail/layout.ts'
import { formatBand, formatButtons, formatFactTable, formatHeading, formatParagraph } from '../mail/parts.ts'
import { markers } from './markers.ts'
import { formatHeadline, listFactLines, listLinkLines } from './message-text.ts'
import type { ProviderMessage } from './provider.ts'

const alertFooter =
  'You receive this email because your address is a notification channel of this monitor. To stop these emails, remove the channel from the monitor in Belfry.'

const getFooter = ({ kind }: ProviderMessage) => (kind === 'test' ? '' : alertFooter)

export function formatMessageEmailText(message: ProviderMessage): string {
  const footer = getFooter(message)
  const sections = [
    formatHeadline(message),
    message.text ?? '',
    listFactLines(message).join('\n'),
    listLinkLines(message).join('\n'),
    footer && `-- \n${footer}`,
  ]
  return `${sections.filter(Boolean).join('\n\n')}\n`
}

export function formatMessageEmailHtml(message: ProviderMessage): string {
  const { kind, title, alert, text = '', facts = [], links = [] } = message
  const { symbol, tone } = markers[kind]
  const content = [
    alert === undefined ? '' : formatHeading(alert.monitorName),
    text && formatParagraph(text),
    formatFactTable(facts),
    formatButtons(links),
  ]
  return formatEmailHtml({
    title: formatHeadline(message),
    // Skips the URL, which is the first fact, because the cause is more useful next to the subject.
    preview:
      text ||
      facts
        .slice(1)
        .map(({ value }) => value)
        .join(' · '),
    category: kind === 'test' ? 'Test' : 'Alert',
    bandHtml: formatBand(tone, alert === undefined ? title : `${symbol} ${alert.state}`),
    contentHtml: content.filter(Boolean).join(''),
    footerHtml: escapeHtml(getFooter(message)),
  })
}
