/** Formats messages as plain text. */
import { truncate } from '../../lib/text.ts'
import type { ChannelMessage, MessageSummary } from './channel.ts'
import { markers } from './markers.ts'

/** The title with its symbol. */
export function formatHeadline({ kind, title }: ChannelMessage): string {
  const { symbol } = markers[kind]
  return symbol === '' ? title : `${symbol} ${title}`
}

export const listFactLines = ({ facts = [] }: ChannelMessage) => facts.map(({ label, value }) => `${label}: ${value}`)

export const listLinkLines = ({ links = [] }: ChannelMessage) => links.map(({ label, url }) => `${label}: ${url}`)

export function formatMessage(message: ChannelMessage): string {
  const { text = '' } = message
  const lines = [formatHeadline(message), text, ...listFactLines(message), ...listLinkLines(message)]
  return lines.filter(Boolean).join('\n')
}

/** How a service writes a text, and the name of a monitor with a link to its incident. */
interface SummaryFormat {
  escapeText: (text: string) => string
  formatLink: (name: string, url: string) => string
}

/** The lines of a summary, in which each name is a link. `text` of the message has the same lines without links. */
export function listSummaryLines(
  { sections, moreCount }: MessageSummary,
  { escapeText, formatLink }: SummaryFormat,
): string[] {
  const lines = sections.flatMap(({ state, entries }) => [
    ...(sections.length > 1 ? [escapeText(`${markers[state].symbol} ${markers[state].word}`)] : []),
    ...entries.map(({ name, detail, url }) => {
      const nameText = url === undefined ? escapeText(name) : formatLink(name, url)
      return detail === '' ? nameText : `${nameText}${escapeText(`: ${detail}`)}`
    }),
  ])
  return moreCount === 0 ? lines : [...lines, escapeText(`and ${moreCount} more`)]
}

/** Slack and Telegram interpret these characters as markup: a monitor named <!channel> would notify a whole channel. */
export function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Truncates a long text and ends it with an ellipsis. */
export function shorten(text: string, maxLength: number): string {
  return text.length > maxLength ? `${truncate(text, maxLength - 1)}…` : text
}

/** Like `shorten`, but counts the bytes of UTF-8. */
export function shortenToBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text
  let bytes = Buffer.byteLength('…')
  let start = ''
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > maxBytes) break
    start += character
  }
  return `${start}…`
}

/** Escapes as much of the text as fits, without cutting an escape sequence such as &amp; in half. */
export function escapeWithin(text: string, maxLength: number, escapeText: (text: string) => string): string {
  const escaped = escapeText(text)
  if (escaped.length <= maxLength) return escaped
  let start = ''
  for (const character of text) {
    const next = escapeText(character)
    if (start.length + next.length >= maxLength) break
    start += next
  }
  return `${start}…`
}

/**
 * Escapes Markdown, and the mentions and emoji names of Discord. Markdown shows any ASCII punctuation after a backslash
 * as it is.
 */
export function escapeMarkdown(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, '\\$&')
}

/**
 * Returns the URL if the text is a complete one, so that it can be a link. A shortened URL would lead to another page.
 */
export function findLink(text: string): string | undefined {
  if (!/^https?:\/\/\S+$/.test(text) || text.endsWith('…')) return undefined
  return URL.parse(text)?.href.replaceAll('<', '%3C').replaceAll('>', '%3E')
}
