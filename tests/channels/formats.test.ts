/** How chats and push notifications show messages, and that names of monitors never become markup or mentions. */
import { describe, expect, it } from 'vitest'
import type { ChannelMessage } from '../../src/channels/common/channel.ts'
import {
  createHostileMessages,
  createLongMessage,
  type JsonKind,
  useChannelMessageFixture,
} from '../support/channel-messages.ts'
import { channelSamples } from '../support/channels.ts'
import { createSampleMessages, createSampleSummary, sampleAcknowledgeUrl } from '../support/sample-messages.ts'

const fixture = useChannelMessageFixture()
const send = (kind: JsonKind, message: ChannelMessage, fields?: object) => fixture.send(kind, message, fields)

const messages = createSampleMessages()
const messageId = messages.down.id
const hostileMessages = createHostileMessages()
const longMessage = createLongMessage()

describe('a Discord message', () => {
  it('is an embed that mentions nobody', async () => {
    fixture.receiver.respondWith(200, { id: '1234', content: 'repeated' })
    const { response, requests, json } = await send('discord', messages.down)
    expect([response, requests[0]?.path]).toEqual(['message 1234', '/base?wait=true'])
    expect(json).toEqual({
      embeds: [
        {
          title: '🔴 Down\\: Online shop',
          url: 'https://stats.example.org/incidents/5',
          description: `[View incident](<https://stats.example.org/incidents/5>) · [Acknowledge](<${sampleAcknowledgeUrl}>) · [View monitor](<https://stats.example.org/monitors/3>)`,
          color: 0xdf343a,
          fields: [
            { name: 'URL', value: '<https://shop.example.com/checkout?lang=de>', inline: false },
            { name: 'Cause', value: 'Status 503\\, expected 200–399', inline: false },
            {
              name: 'Down since',
              value: '5 Jan 2026\\, 11\\:00\\:00 \\(Europe\\/Berlin\\, UTC\\+1\\)',
              inline: true,
            },
            { name: 'Down for', value: '15 s', inline: true },
          ],
          footer: { text: 'Sent by Belfry' },
        },
      ],
      allowed_mentions: { parse: [] },
    })
  })

  it('keeps the thread of the webhook, and the limit of 6,000 characters', async () => {
    await fixture.deliver('discord', longMessage, `${fixture.receiver.address}/base?thread_id=7`)
    expect(fixture.receiver.received[0]?.path).toBe('/base?thread_id=7&wait=true')
    const [{ title, description, fields, footer }] = JSON.parse(fixture.receiver.received[0]?.body ?? '').embeds
    const texts = [title, description, footer.text, ...fields.flatMap(({ name, value }: never) => [name, value])]
    expect(texts.join('').length).toBeLessThanOrEqual(6_000)
  })

  it('escapes names', async () => {
    const [{ title, fields }] = (await send('discord', hostileMessages.down)).json.embeds
    expect(title).toBe(
      String.raw`🔴 Down\: \<\/p\>\<b\>\@everyone \@room \<users\/all\> \<\!channel\> \*\*x\*\* \[a\]\(https\:\/\/evil\.example\) \"\'\&  \# h1`.replace(
        '  \\#',
        ' \\#',
      ),
    )
    expect(fields[0].value).toBe('<https://example.com/?a=1&b=%3Cb%3E%22|c)>')
  })
})

describe('other chats', () => {
  it('Teams shows names in text runs, which have no markup', async () => {
    const { content } = (await send('teams', hostileMessages.down)).json.attachments[0]
    expect(content.body[0]).toMatchObject({ type: 'Container', style: 'attention' })
    expect(content.body[0].items[0].inlines[0].text).toContain('<users/all> <!channel> **x**')
    expect(content.actions).toEqual([
      { type: 'Action.OpenUrl', title: 'View incident', url: 'https://stats.example.org/incidents/5' },
      { type: 'Action.OpenUrl', title: 'Acknowledge', url: sampleAcknowledgeUrl },
      { type: 'Action.OpenUrl', title: 'View monitor', url: 'https://stats.example.org/monitors/3' },
    ])
  })

  it('Google Chat shows a card, with escaped values and without mentions', async () => {
    fixture.receiver.respondWith(200, { name: 'spaces/A/messages/B' })
    const { response, requests, json } = await send('googlechat', hostileMessages.down)
    expect(response).toBe('spaces/A/messages/B')
    expect(requests[0]?.path).toBe('/base?messageReplyOption=REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD')
    expect(json.thread).toEqual({ threadKey: 'belfry-incident-5' })
    expect((await send('googlechat', messages.reminder)).json.thread).toBeUndefined()
    const { card } = json.cardsV2[0]
    expect(card.header.title).toContain('‹users/all›')
    expect(json.fallbackText).not.toContain('<')
    const texts = card.sections[0].widgets.flatMap((widget: never) => widget['decoratedText']?.['text'] ?? [])
    expect(texts.slice(0, 2)).toEqual([
      '<a href="https://example.com/?a=1&amp;b=%3Cb%3E%22|c)">https://example.com/?a=1&amp;b=&lt;b&gt;&quot;|c)</a>',
      'The body lacks &quot;&lt;a href=&#39;https://evil.example&#39;&gt;&quot; &amp; *this*',
    ])
  })

  it('Matrix gets the message id as transaction id, escaped HTML, and no mentions', async () => {
    fixture.receiver.respondWith(200, { event_id: '$abc' })
    const { response, requests, json } = await send('matrix', hostileMessages.recovered)
    expect(response).toBe('event $abc')
    expect(requests[0]).toMatchObject({
      method: 'PUT',
      path: `/base/_matrix/client/v3/rooms/!belfry%3Aexample.com/send/m.room.message/${messageId}`,
      headers: { authorization: `Bearer ${channelSamples.matrix.token}` },
    })
    expect(json['m.mentions']).toEqual({})
    const { json: reply } = await send('matrix', { ...messages.recovered, announcementResponse: 'event $abc' })
    expect(reply['m.relates_to']).toEqual({ 'm.in_reply_to': { event_id: '$abc' } })
    const tags = new Set(json.formatted_body.match(/<[^>]*>/g).map((tag: string) => tag.replace(/ href="[^"<>]*"/, '')))
    expect([...tags].sort()).toEqual(['</a>', '</b>', '</p>', '</strong>', '<a>', '<b>', '<br>', '<p>', '<strong>'])
    expect(json.body).toMatch(/^🟢 Recovered after 5 min 12 s: /)
  })
})

describe('a push notification', () => {
  it('by ntfy has a title, priority, tag and link', async () => {
    fixture.receiver.respondWith(200, { id: 'abc', event: 'message' })
    const { response, requests, json } = await send('ntfy', messages.down)
    expect(response).toBe('message abc')
    expect(requests[0]).toMatchObject({ method: 'POST', path: '/base/' })
    expect(requests[0]?.headers.authorization).toBe(`Bearer ${channelSamples.ntfy.token}`)
    expect(json).toEqual({
      topic: 'belfry-k3x8',
      title: 'Down: Online shop',
      message:
        'URL: https://shop.example.com/checkout?lang=de\nCause: Status 503, expected 200–399\nDown since: 5 Jan 2026, 11:00:00 (Europe/Berlin, UTC+1)\nDown for: 15 s',
      priority: 5,
      tags: ['red_circle'],
      click: 'https://stats.example.org/incidents/5',
      actions: [
        { action: 'view', label: 'View incident', url: 'https://stats.example.org/incidents/5' },
        { action: 'view', label: 'Acknowledge', url: sampleAcknowledgeUrl },
        { action: 'view', label: 'View monitor', url: 'https://stats.example.org/monitors/3' },
      ],
    })
    expect((await send('ntfy', messages.down, { token: null })).requests[0]?.headers.authorization).toBeUndefined()
    expect(Buffer.byteLength((await send('ntfy', longMessage)).json.message)).toBeLessThanOrEqual(4_096)
  })

  it('by Pushover is plain text with a link', async () => {
    fixture.receiver.respondWith(200, { status: 1, request: 'r1' })
    const { response, requests, json } = await send('pushover', hostileMessages.down)
    expect([response, requests[0]?.path]).toEqual(['request r1', '/pushover/1/messages.json'])
    expect(json).toMatchObject({
      token: channelSamples.pushover.token,
      user: channelSamples.pushover.user_key,
      priority: 1,
      url: 'https://stats.example.org/incidents/5',
      url_title: 'View incident',
    })
    expect(json.title).toContain('</p><b>@everyone')
    expect(json.html).toBeUndefined()
    expect(json.message).toMatch(new RegExp(`\nAcknowledge: ${sampleAcknowledgeUrl}$`))
    expect((await send('pushover', longMessage)).json.message.length).toBeLessThanOrEqual(1_024)
  })

  it('and a Matrix message about several incidents link each of them', async () => {
    const summary = createSampleSummary()
    expect((await send('gotify', summary)).json.message.split('  \n')[1]).toBe(
      String.raw`[Online shop](<https://stats.example.org/incidents/1>)\: Status 503\, expected 200–399`,
    )
    expect((await send('matrix', summary)).json.formatted_body).toContain(
      '<br><a href="https://stats.example.org/incidents/2">Checkout</a>: Status 503, expected 200–399<br>',
    )
  })

  it('by Gotify is escaped Markdown', async () => {
    fixture.receiver.respondWith(200, { id: 25, appid: 1 })
    const { response, requests, json } = await send('gotify', hostileMessages.down)
    expect([response, requests[0]?.path]).toEqual(['message 25', '/base/message'])
    expect(requests[0]?.headers['x-gotify-key']).toBe(channelSamples.gotify.token)
    expect(json.priority).toBe(8)
    expect(json.message.split('  \n').slice(0, 2)).toEqual([
      '**URL:** <https://example.com/?a=1&b=%3Cb%3E%22|c)>',
      String.raw`**Cause:** The body lacks \"\<a href\=\'https\:\/\/evil\.example\'\>\" \& \*this\*`,
    ])
  })
})
