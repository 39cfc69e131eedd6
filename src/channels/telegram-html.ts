/** Formats messages as Telegram's HTML, which supports only a few tags and entities. */
import { escapeHtml, truncate } from '../lib/text.ts'
import type { ChannelMessage, MessageSummary } from './channel.ts'
import { markers } from './markers.ts'
import { escapeMarkup } from './message-text.ts'

/** Telegram counts the characters that readers see, without tags, and rejects longer messages. */
const MAX_VISIBLE_LENGTH = 4_096

interface Segment {
  text: string
  tag?: 'b'
  url?: string
}

export function formatTelegramHtml(message: ChannelMessage): string {
  const body = listBodySegments(message)
  const links = listLinkSegments(message)
  return [...cutSegments(body, MAX_VISIBLE_LENGTH - countCharacters(links)), ...links].map(formatSegment).join('')
}

function listBodySegments({ kind, title, text = '', summary, facts = [] }: ChannelMessage): Segment[] {
  const { symbol } = markers[kind]
  return [
    // The title of a test has no tag, because receivers expect the text to start with "Test notification".
    ...(symbol === '' ? [{ text: title }] : [{ text: `${symbol} ` }, { text: title, tag: 'b' as const }]),
    ...(summary === undefined ? [{ text: text && `\n${text}` }] : listSummarySegments(summary)),
    ...facts.flatMap(({ label, value }, index) => [
      { text: index === 0 ? '\n\n' : '\n' },
      { text: `${label}:`, tag: 'b' as const },
      { text: ` ${value}` },
    ]),
  ]
}

function listSummarySegments({ sections, moreCount }: MessageSummary): Segment[] {
  return [
    { text: '\n' },
    ...sections.flatMap(({ state, entries }) => [
      ...(sections.length > 1 ? [{ text: `\n${markers[state].symbol} ${markers[state].word}` }] : []),
      ...entries.flatMap(({ name, detail }) => [
        { text: '\n' },
        { text: name, tag: 'b' as const },
        { text: detail && `: ${detail}` },
      ]),
    ]),
    { text: moreCount === 0 ? '' : `\nand ${moreCount} more` },
  ]
}

function listLinkSegments({ links = [] }: ChannelMessage): Segment[] {
  return links.flatMap(({ label, url }, index) => {
    const separator = { text: index === 0 ? '\n\n' : '\n' }
    return canBeLink(url) ? [separator, { text: label, url }] : [separator, { text: `${label}: ${url}` }]
  })
}

/** Telegram makes no links to hosts without a dot, such as localhost, so readers need the URL itself. */
const canBeLink = (url: string) => URL.parse(url)?.hostname.includes('.') === true

const countCharacters = (segments: readonly Segment[]) => segments.reduce((sum, { text }) => sum + text.length, 0)

/** Cuts the text before it is escaped, so that no tag and no entity is cut in half. */
function cutSegments(segments: readonly Segment[], maxLength: number): Segment[] {
  if (countCharacters(segments) <= maxLength) return [...segments]
  let remaining = maxLength - 1
  const kept = segments.map((segment) => {
    const text = truncate(segment.text, remaining)
    remaining = text.length < segment.text.length ? 0 : remaining - text.length
    return { ...segment, text }
  })
  return [...kept, { text: '…' }]
}

function formatSegment({ text, tag, url }: Segment): string {
  if (text === '') return ''
  if (url !== undefined) return `<a href="${escapeHtml(url)}">${escapeMarkup(text)}</a>`
  return tag === undefined ? escapeMarkup(text) : `<${tag}>${escapeMarkup(text)}</${tag}>`
}
