/** What messages say about visitors, on every channel. */
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ChannelMessage } from '../../src/channels/common/channel.ts'
import { formatMessageEmailHtml, formatMessageEmailText } from '../../src/channels/common/message-html.ts'
import { formatMessage } from '../../src/channels/common/message-text.ts'
import { createSlackBlocks } from '../../src/channels/kinds/slack.ts'
import { formatTelegramHtml } from '../../src/channels/kinds/telegram.ts'
import { MessageSender } from '../../src/channels/message-sender.ts'
import { readConfig } from '../../src/config/config.ts'
import { jsonKinds, useChannelMessageFixture } from '../support/channel-messages.ts'
import { createSmsEnv } from '../support/channels.ts'
import { TestClock } from '../support/clock.ts'
import { createSampleMessages, sampleImpact } from '../support/sample-messages.ts'

const fixture = useChannelMessageFixture()

const outage = createSampleMessages({
  visitors: 'normal',
  impact: { ...sampleImpact, visits_seen: 11, visits_expected: 12 },
})
const silence = createSampleMessages({
  friendlyName: 'example.com',
  url: 'https://example.com/',
  type: 'traffic',
  detail: 'No visits, although the home page responds',
  diagnosis: 'site_silent',
  detectedAfterMinutes: 42,
  impact: { ...sampleImpact, visits_seen: 0 },
})

const samples: readonly { name: string; message: ChannelMessage; title: string; phrases: string[] }[] = [
  {
    name: 'an outage',
    message: outage.down,
    title: 'Down: Online shop',
    phrases: ['Traffic', 'visitors are still arriving as usual (11 of 12 expected)'],
  },
  {
    name: 'a recovery',
    message: outage.recovered,
    title: 'Recovered after 5 min 12 s: Online shop',
    phrases: ['Impact', 'about 140 visits missed (95 to 190)'],
  },
  {
    name: 'a website without visits',
    message: silence.down,
    title: 'No visits: example.com',
    phrases: ['No visits, although the home page responds', '0 of 151 expected', 'Open the website in a browser'],
  },
  {
    name: 'visits that are back',
    message: silence.recovered,
    title: 'Visits are back after 5 min 12 s: example.com',
    phrases: ['Visits missing for', 'about 140 visits missed (95 to 190)'],
  },
  {
    name: 'a traffic spike',
    message: silence.spike,
    title: 'Traffic spike: example.com',
    phrases: ['312 visits in the last hour, 40 expected. Most came from news.ycombinator.com (250).'],
  },
]

/** Removes the escapes of JSON and Markdown. */
const removeEscapes = (text: string) => text.replaceAll('\\', '')

describe.each(jsonKinds)('a message through %s', (kind) => {
  it.each(samples)('about $name contains the title and all facts', async ({ message, title, phrases }) => {
    const { requests } = await fixture.send(kind, message)
    const body = removeEscapes(requests[0]?.body ?? '')
    if (kind === 'pagerduty' && message.kind === 'recovered') {
      // PagerDuty shows only the end of the incident.
      expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({
        event_action: 'resolve',
        dedup_key: 'belfry-incident-5',
      })
      return
    }
    for (const phrase of [title, ...phrases]) expect(body).toContain(phrase)
  })
})

describe.each([
  ['email', formatMessageEmailText],
  ['HTML email', formatMessageEmailHtml],
  ['Slack', (message: ChannelMessage) => JSON.stringify(createSlackBlocks(message))],
  ['Slack notification', formatMessage],
  ['Telegram', formatTelegramHtml],
] as const)('a message by %s', (_name, format) => {
  it.each(samples)('about $name contains the title and all facts', ({ message, title, phrases }) => {
    for (const phrase of [title, ...phrases]) expect(format(message)).toContain(phrase)
  })
})

it('a text message about traffic has only the most important lines', async () => {
  const { receiver } = fixture
  const config = readConfig({
    ...createSmsEnv(receiver.address),
  })
  const sender = new MessageSender(config, new TestClock())
  onTestFinished(() => sender.stop())
  for (const { message } of samples) {
    await sender.deliver({ type: 'sms', settings: { phone_number: '+4915112345678' } }, message)
  }
  const texts = receiver.received.map(({ body }) => new URLSearchParams(body).get('Body'))
  const [outageLines, recoveryLines, silenceLines, , spikeLines] = texts.map((text) => text?.split('\n'))
  expect(outageLines?.at(-1)).toBe('Traffic: visitors are still arriving as usual (11 of 12 expected)')
  expect(recoveryLines?.at(-1)).toBe('Impact: about 140 visits missed (95 to 190)')
  expect(silenceLines).toEqual([
    'No visits: example.com',
    'https://example.com/',
    'No visits, although the home page responds',
    'Visits missing since: 5 Jan 2026, 11:00:00 (Europe/Berlin, UTC+1)',
    'Visits missing for: 42 min',
    'Visits: 0 of 151 expected',
  ])
  expect(spikeLines).toEqual([
    'Traffic spike: example.com',
    '312 visits in the last hour, 40 expected. Most came from news.ycombinator.com (250).',
    'https://example.com/',
  ])
})

it('a spike interrupts nobody: it has the usual priority, and its own incident in PagerDuty', async () => {
  expect((await fixture.send('ntfy', silence.spike)).json).toMatchObject({
    priority: 3,
    tags: ['chart_with_upwards_trend'],
  })
  expect((await fixture.send('pushover', silence.spike)).json).toMatchObject({ priority: 0 })
  expect((await fixture.send('gotify', silence.spike)).json).toMatchObject({ priority: 5 })
  expect((await fixture.send('pagerduty', silence.spike)).json).toMatchObject({
    event_action: 'trigger',
    dedup_key: 'belfry-monitor-3-spike-2026-01-05',
    payload: { severity: 'info' },
  })
})
