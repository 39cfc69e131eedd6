/** Formats messages as emails. */
import { escapeHtml } from '../../lib/text.ts'
import { formatEmailHtml } from '../../mail/email-html.ts'
import {
  formatBand,
  formatButtons,
  formatEntryRow,
  formatFactTable,
  formatHeading,
  formatMutedLink,
  formatNameLink,
  formatParagraph,
  formatSubheading,
  layoutTable,
} from '../../mail/parts.ts'
import type { ChannelMessage, MessageSummary } from './channel.ts'
import { markers } from './markers.ts'
import { formatHeadline, listFactLines, listLinkLines } from './message-text.ts'

const testFooter =
  "You're receiving this because somebody entered this address as a notification channel in Belfry. If that wasn't you, you can block all emails from this server"

function getFooter({ kind, alert, summary, blockUrl }: ChannelMessage): string {
  if (kind === 'test') return blockUrl === undefined ? '' : `${testFooter}: ${blockUrl}`
  const reason = "You're receiving this because this address is a notification channel for"
  return summary === undefined
    ? `${reason} "${alert?.monitorName ?? ''}". To stop these emails, remove the channel from the monitor in Belfry.`
    : `${reason} these monitors. To get one email per monitor instead, turn off "Combine alerts during an outage" in your account in Belfry.`
}

/** Lists the name of each monitor, with a link to its page, and what happened to the monitor. */
function formatSummaryHtml({ sections, moreCount }: MessageSummary): string {
  const lists = sections.map(({ state, entries }) => {
    const heading = sections.length > 1 ? formatSubheading(markers[state].word, String(entries.length)) : ''
    const rows = entries.map(({ name, detail, url, acknowledgeUrl }) => {
      const nameHtml = url === undefined ? escapeHtml(name) : formatNameLink({ label: name, url })
      const acknowledgeHtml =
        acknowledgeUrl === undefined ? '' : formatMutedLink({ label: 'Acknowledge', url: acknowledgeUrl })
      return formatEntryRow(nameHtml, [escapeHtml(detail), acknowledgeHtml].filter(Boolean).join(' · '))
    })
    return heading + layoutTable(rows.join(''))
  })
  return lists.join('') + (moreCount === 0 ? '' : formatParagraph(`and ${moreCount} more`, 'muted'))
}

export function formatMessageEmailText(message: ChannelMessage): string {
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

export function formatMessageEmailHtml(message: ChannelMessage): string {
  const { kind, alert, text = '', summary, facts = [], links = [], blockUrl } = message
  const { symbol, tone } = markers[kind]
  const content = [
    alert === undefined ? '' : formatHeading(alert.monitorName, text === '' ? '' : 'margin-bottom:10px'),
    summary === undefined ? text && formatParagraph(text) : formatSummaryHtml(summary),
    formatFactTable(facts),
    formatButtons(links),
  ]
  return formatEmailHtml({
    title: formatHeadline(message),
    // Skips the first fact, which is usually the URL: the cause is more useful next to the subject.
    preview:
      text.replaceAll('\n', ' · ') ||
      facts
        .slice(1)
        .map(({ value }) => value)
        .join(' · '),
    category: kind === 'test' ? 'Test' : 'Alert',
    bandHtml: formatBand(tone, alert === undefined ? formatHeadline(message) : `${symbol} ${alert.state}`),
    contentHtml: content.filter(Boolean).join(''),
    footerHtml:
      blockUrl === undefined
        ? escapeHtml(getFooter(message))
        : `${testFooter}: ${formatMutedLink({ label: 'Block emails', url: blockUrl })}`,
  })
}
