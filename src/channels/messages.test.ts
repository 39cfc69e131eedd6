/** Tests how each kind of channel shows the same messages. */
import { describe, expect, it } from 'vitest'
import { createSampleMessages, sampleAcknowledgeUrl } from '../../tests/support/sample-messages.ts'
import type { ChannelMessage } from './common/channel.ts'
import { type MessageKind, markers } from './common/markers.ts'
import { formatMessageEmailHtml, formatMessageEmailText } from './common/message-html.ts'
import { formatMessage } from './common/message-text.ts'
import { createSlackBlocks } from './kinds/slack.ts'
import { formatTelegramHtml } from './kinds/telegram.ts'

const messages = createSampleMessages()
const kinds = Object.keys(messages) as MessageKind[]

const hostileName = `</h1><script>alert(1)</script><img src=x onerror=alert(1)> & "'<!channel>`
const hostileMessages = createSampleMessages({
  friendlyName: hostileName,
  url: 'https://example.com/?a=1&b=<b>|c',
  detail: `The body lacks "<a href='https://evil.example'>" & </td>`,
})

const decodeEntities = (html: string) =>
  html.replace(
    /&(amp|lt|gt|quot|#39|nbsp);/g,
    (_, name) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' })[name as string] ?? '',
  )

/** The text that a reader of the HTML sees. */
const toVisibleText = (html: string) =>
  decodeEntities(html.slice(html.indexOf('<body')).replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ')

interface SlackBlock {
  type: string
  text?: { type: string; text: string }
  fields?: { text: string }[]
}
const toBlocks = (message: ChannelMessage) => createSlackBlocks(message) as SlackBlock[]

describe('the markers of alert messages', () => {
  it('give every kind of message its own symbol, word and color', () => {
    for (const property of ['symbol', 'word', 'tone'] as const) {
      expect(new Set(Object.values(markers).map((marker) => marker[property])).size).toBe(kinds.length)
    }
  })

  it.each(kinds)('of %s are the same in emails, Slack and Telegram', (kind) => {
    const message = messages[kind]
    const { symbol, word } = markers[kind]
    const start = symbol === '' ? word : `${symbol} ${word}`
    for (const text of [
      formatMessage(message),
      formatMessageEmailText(message),
      toBlocks(message)[0]?.text?.text ?? '',
      formatTelegramHtml(message).replace(/<.*?>/g, ''),
    ]) {
      expect(text.startsWith(start)).toBe(true)
    }
    expect(toVisibleText(formatMessageEmailHtml(message))).toContain(start)
  })
})

describe('an email', () => {
  it.each(kinds)('about %s has the same facts as text and as HTML', (kind) => {
    const message = messages[kind]
    const text = formatMessageEmailText(message)
    const html = formatMessageEmailHtml(message)
    const visibleText = toVisibleText(html)
    for (const { label, value } of message.facts ?? []) {
      expect(text).toContain(`${label}: ${value}`)
      expect(visibleText).toContain(`${label} ${value}`)
    }
    for (const { label, url } of message.links ?? []) {
      expect(text).toContain(`${label}: ${url}`)
      expect(html).toMatch(new RegExp(`href="${url.replace('?', '\\?')}"[^>]*>${label}</a>`))
    }
    for (const part of [message.text, message.alert?.monitorName, message.alert?.state]) {
      expect(text).toContain(part ?? '')
      expect(visibleText).toContain(part ?? '')
    }
    expect(text.includes('remove the channel from the monitor in Belfry')).toBe(kind !== 'test')
    expect(visibleText.includes('remove the channel from the monitor in Belfry')).toBe(kind !== 'test')
  })

  it('loads nothing, runs nothing, and links only to Belfry', () => {
    for (const message of [...Object.values(messages), ...Object.values(hostileMessages)]) {
      const html = formatMessageEmailHtml(message)
      expect(html).not.toMatch(/<(script|img(?! src="cid:)|link|iframe|svg|object|form)|url\(|@import/i)
      for (const [tag] of html.matchAll(/<[^>]*>/g)) expect(tag).not.toMatch(/\ssrc=(?!"cid:)|\son\w+=/)
      for (const [, url] of html.matchAll(/href="([^"]*)"/g)) expect(url).toMatch(/^https:\/\/stats\.example\.org\//)
    }
  })

  it('escapes names, URLs and causes', () => {
    const visibleText = toVisibleText(formatMessageEmailHtml(hostileMessages.down))
    for (const text of [
      hostileName,
      'https://example.com/?a=1&b=<b>|c',
      `lacks "<a href='https://evil.example'>" & </td>`,
    ]) {
      expect(visibleText).toContain(text)
    }
  })
})

describe('a Slack message', () => {
  it('has a header, the facts, links and a context', () => {
    const blocks = toBlocks(messages.down)
    expect(blocks.map(({ type }) => type)).toEqual(['header', 'section', 'section', 'section', 'section', 'context'])
    expect(blocks[1]?.text?.text).toBe('*URL*\n<https://shop.example.com/checkout?lang=de>')
    expect(blocks[2]?.text?.text).toBe('*Cause*\nStatus 503, expected 200–399')
    expect(blocks[3]?.fields?.map(({ text }) => text)).toEqual([
      '*Down since*\n5 Jan 2026, 11:00:00 (Europe/Berlin, UTC+1)',
      '*Down for*\n15 s',
    ])
    expect(blocks[4]?.text?.text).toBe(
      `*<https://stats.example.org/incidents/5|View incident>*  ·  <${sampleAcknowledgeUrl}|Acknowledge>  ·  <https://stats.example.org/monitors/3|View monitor>`,
    )
  })

  it('escapes names, URLs and causes', () => {
    const [header, url, cause] = toBlocks(hostileMessages.down)
    expect(header?.text).toEqual({ type: 'plain_text', text: `🔴 Down: ${hostileName}` })
    expect(url?.text?.text).toBe('*URL*\n<https://example.com/?a=1&amp;b=%3Cb%3E%7Cc>')
    expect(cause?.text?.text).toBe(`*Cause*\nThe body lacks "&lt;a href='https://evil.example'&gt;" &amp; &lt;/td&gt;`)
  })

  it('stays within the limits of Slack, without cutting entities and characters in half', () => {
    const longText = '&🎈'.repeat(5_000)
    const blocks = toBlocks({
      ...messages.down,
      title: longText,
      text: longText,
      facts: Array.from({ length: 12 }, (_, n) => ({ label: 'Long', value: longText, isLong: n === 0 })),
    })
    expect(blocks.length).toBeLessThanOrEqual(50)
    for (const { type, text, fields = [] } of blocks) {
      expect(text?.text.length ?? 0).toBeLessThanOrEqual(type === 'header' ? 150 : 3_000)
      expect(fields.length).toBeLessThanOrEqual(10)
      for (const field of fields) expect(field.text.length).toBeLessThanOrEqual(2_000)
    }
    const formattedTexts = blocks.flatMap(({ text, fields = [] }) =>
      text?.type === 'mrkdwn' ? [text, ...fields] : fields,
    )
    expect(formattedTexts).toHaveLength(12)
    for (const { text } of formattedTexts) expect(text.replaceAll('&amp;', '')).not.toContain('&')
    expect(JSON.stringify(blocks)).not.toMatch(/\\ud[89a-f]/i)
  })
})

describe('a Telegram message', () => {
  it('has a bold title, a line for each fact, and links', () => {
    expect(formatTelegramHtml(messages.recovered)).toBe(
      [
        '🟢 <b>Recovered after 5 min 12 s: Online shop</b>',
        '',
        '<b>URL:</b> https://shop.example.com/checkout?lang=de',
        '<b>Cause:</b> Status 503, expected 200–399',
        '<b>Down since:</b> 5 Jan 2026, 11:00:00 (Europe/Berlin, UTC+1)',
        '<b>Up since:</b> 5 Jan 2026, 11:05:12 (Europe/Berlin, UTC+1)',
        '<b>Down for:</b> 5 min 12 s',
        '',
        '<a href="https://stats.example.org/incidents/5">View incident</a>',
        '<a href="https://stats.example.org/monitors/3">View monitor</a>',
      ].join('\n'),
    )
  })

  it('shows the URL itself if Telegram would not make it a link', () => {
    const html = formatTelegramHtml(createSampleMessages({ baseUrl: 'http://localhost:3000' }).certificate)
    expect(html).toMatch(/\n\nView monitor: http:\/\/localhost:3000\/monitors\/3$/)
  })

  it('has no tags but its own, and only entities that Telegram knows', () => {
    const html = formatTelegramHtml(hostileMessages.down)
    expect(html.match(/<[^>]*>/g)).toEqual([
      ...Array.from({ length: 5 }, () => ['<b>', '</b>']).flat(),
      '<a href="https://stats.example.org/incidents/5">',
      '</a>',
      `<a href="${sampleAcknowledgeUrl}">`,
      '</a>',
      '<a href="https://stats.example.org/monitors/3">',
      '</a>',
    ])
    expect(decodeEntities(html.replace(/<[^>]*>/g, ''))).toContain(hostileName)
    expect(html.replace(/&(amp|lt|gt|quot);/g, '')).not.toContain('&')
  })

  it('is cut to 4,096 visible characters, between tags and entities, and keeps its links', () => {
    for (let length = 3_900; length < 4_100; length += 7) {
      const html = formatTelegramHtml({
        ...messages.down,
        facts: [
          { label: 'First', value: '<&🎈'.repeat(length / 4) },
          { label: 'Second', value: 'x'.repeat(200) },
        ],
      })
      const visibleText = decodeEntities(html.replace(/<[^>]*>/g, ''))
      expect(visibleText.length).toBeLessThanOrEqual(4_096)
      expect(visibleText.length).toBeGreaterThan(4_096 - 3)
      expect(visibleText.isWellFormed()).toBe(true)
      expect(visibleText).toMatch(/…\n\nView incident\nAcknowledge\nView monitor$/)
      expect(html.match(/<b>/g)?.length).toBe(html.match(/<\/b>/g)?.length)
      expect(html.replace(/&(amp|lt|gt);/g, '')).not.toContain('&')
    }
  })
})
