import { describe, expect, it } from 'vitest'
import { sampleImpact } from '../../tests/support/sample-messages.ts'
import { type ChannelKind, defaultSummaryLimits, type SummaryLimits } from '../channels/common/channel.ts'
import { formatMessageEmailHtml, formatMessageEmailText } from '../channels/common/message-html.ts'
import { formatMessage } from '../channels/common/message-text.ts'
import { createSlackBlocks } from '../channels/kinds/slack.ts'
import { formatTelegramHtml } from '../channels/kinds/telegram.ts'
import { type ChannelType, channelKinds } from '../channels/kinds.ts'
import { Secret } from '../lib/secret.ts'
import { composeSummary } from './message.ts'
import type { AlertDelivery, AlertMessage } from './queue-store.ts'

const secret = new Secret('a secret for links in tests of summaries')
const startedAt = new Date('2026-01-05T10:00:00.000Z')
const resolvedAt = new Date('2026-01-05T10:04:00.000Z')

const noMeasurement = { impact: null, visitors: null, diagnosis: null, acknowledgedBy: null }
const incident = { cause: 'http_status', detail: 'Status 503, expected 200–399', startedAt, ...noMeasurement }

function createAlert(id: number, changes: Partial<AlertMessage> = {}): AlertMessage {
  return {
    alertId: id,
    messageId: 'own',
    event: 'down',
    title: '',
    occurrence: '',
    attempts: 0,
    createdAt: startedAt,
    failuresInARow: 0,
    monitor: { id, friendlyName: `Monitor ${id}`, url: 'https://example.com/', type: 'http', tags: [] },
    incident: { ...incident, id, resolvedAt: null },
    details: null,
    downMessageId: null,
    downResponse: null,
    channel: { id: 7, user_id: 1 } as AlertMessage['channel'],
    ...changes,
  }
}

const createRecovery = (id: number) =>
  createAlert(id, {
    event: 'recovered',
    incident: { ...incident, id, cause: 'timeout', detail: 'No response', resolvedAt },
  })

const roomyLimits = { maxMonitors: 1_000, maxBytes: 100_000 }

function compose(alerts: AlertMessage[], limits: SummaryLimits = roomyLimits, baseUrl?: string) {
  const delivery = { alerts, messageId: 'group', createdAt: startedAt, attempts: 0, failuresInARow: 0 }
  return composeSummary(delivery as unknown as AlertDelivery, { baseUrl, secret }, limits)
}

describe('a summary', () => {
  it('lists the name and cause of each monitor', () => {
    const message = compose([createAlert(1), createAlert(2)], roomyLimits, 'https://stats.example.org')
    expect(message).toMatchObject({
      id: 'group',
      kind: 'down',
      title: 'Down: 2 monitors',
      text: 'Monitor 1: Status 503, expected 200–399\nMonitor 2: Status 503, expected 200–399',
      links: [
        { label: 'View ongoing incidents', url: 'https://stats.example.org/incidents?state=open' },
        { label: 'View monitors', url: 'https://stats.example.org/monitors' },
      ],
    })
    expect(message.summary?.sections[0]?.entries[0]?.url).toBe('https://stats.example.org/incidents/1')
  })

  it('has a link to acknowledge each of up to ten incidents that are ongoing and not acknowledged', () => {
    const acknowledgedAlert = createAlert(2, {
      incident: { ...incident, id: 2, resolvedAt: null, acknowledgedBy: 'ada@example.com' },
    })
    const message = compose(
      [createAlert(1), acknowledgedAlert, createRecovery(3)],
      roomyLimits,
      'https://b.example.org',
    )
    const urls = message.summary?.sections.flatMap(({ entries }) => entries.map(({ acknowledgeUrl }) => acknowledgeUrl))
    expect(urls).toEqual([
      expect.stringMatching(/^https:\/\/b\.example\.org\/acknowledge\/[\w-]{22}\.1\.1\.7$/),
      undefined,
      undefined,
    ])
    const url = urls?.[0] ?? ''
    expect(JSON.stringify(createSlackBlocks(message))).toContain(`  ·  <${url}|Acknowledge>`)
    expect(formatTelegramHtml(message)).toContain(` · <a href="${url}">Acknowledge</a>`)
    expect(formatMessageEmailHtml(message)).toContain(`<a href="${url}"`)
    const alerts = Array.from({ length: 11 }, (_, id) => createAlert(id))
    const longMessage = compose(alerts, roomyLimits, 'https://b.example.org')
    expect(longMessage.summary?.sections[0]?.entries[0]).not.toHaveProperty('acknowledgeUrl')
    expect(longMessage.summary?.subjects[0]?.acknowledgeUrl).toContain('/acknowledge/')
  })

  it('says whether visitors confirm an outage, and what it has cost, if that is known', () => {
    const downAlert = createAlert(1, {
      incident: { ...incident, id: 1, resolvedAt: null, impact: sampleImpact, visitors: 'gone' },
    })
    const recoveryAlert = createAlert(2, {
      event: 'recovered',
      incident: { ...incident, id: 2, resolvedAt, impact: sampleImpact },
    })
    expect(
      compose([downAlert, recoveryAlert])
        .text?.split('\n')
        .filter((line) => line.startsWith('Monitor')),
    ).toEqual([
      'Monitor 1: Status 503, expected 200–399. Traffic: visitors are gone (11 of 151 expected)',
      'Monitor 2: Recovered after 4 min, about 140 visits missed (95 to 190)',
    ])
  })

  it('that is only about websites without visits does not call them down', () => {
    const monitor = { friendlyName: 'example.com', url: 'https://example.com/', type: 'traffic', tags: [] } as const
    const downAlerts = [1, 2].map((id) => createAlert(id, { monitor: { ...monitor, id } }))
    const recoveryAlert = { ...createRecovery(3), monitor: { ...monitor, id: 3 } }
    expect(compose(downAlerts).title).toBe('No visits: 2 websites')
    expect(compose([...downAlerts, recoveryAlert]).title).toBe('No visits: 2 websites, visits are back: 1')
    expect(compose([recoveryAlert]).title).toBe('Visits are back: 1 website')
    expect(compose([...downAlerts, createAlert(4)]).title).toBe('Down: 3 monitors')
  })

  it('says how long monitors that recovered were down', () => {
    expect(compose([createRecovery(1), createRecovery(2)])).toMatchObject({
      kind: 'recovered',
      title: 'Recovered: 2 monitors',
      text: 'Monitor 1: Recovered after 4 min\nMonitor 2: Recovered after 4 min',
    })
  })

  it('lists a monitor that went down and recovered only among those that recovered', () => {
    const message = compose([createAlert(1), createAlert(2), createRecovery(1)])
    expect(message).toMatchObject({ kind: 'down', title: 'Down: 1 monitor, recovered: 1' })
    expect(message.text).toBe(
      'Down\nMonitor 2: Status 503, expected 200–399\nRecovered\nMonitor 1: Recovered after 4 min',
    )
    expect(message.summary?.subjects).toHaveLength(3)
  })

  it('shortens long causes first, and then long names', () => {
    const longName = { id: 1, friendlyName: 'N'.repeat(100), url: '', type: 'http' as const, tags: [] }
    const alerts = [createAlert(1, { monitor: longName }), createAlert(2)]
    expect(compose(alerts, { maxMonitors: 10, maxBytes: 120 }).text).toBe(
      `${'N'.repeat(31)}…\nMonitor 2: Status 503, expected…`,
    )
  })

  it('counts the monitors for which it has no room', () => {
    const alerts = Array.from({ length: 300 }, (_, id) => createAlert(id))
    const { text = '', title } = compose(alerts, { maxMonitors: 10_000, maxBytes: 250 })
    expect(title).toBe('Down: 300 monitors')
    expect(text.split('\n').at(-1)).toBe('and 291 more')
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(250)
  })

  it('removes line breaks from names', () => {
    const monitor = { id: 1, friendlyName: 'Shop\nBlog: fine', url: '', type: 'http' as const, tags: [] }
    expect(compose([createAlert(1, { monitor }), createAlert(2)]).text?.split('\n')).toHaveLength(2)
  })
})

describe('a summary of as many monitors as one message can be about', () => {
  const kinds = Object.entries(channelKinds) as [ChannelType, ChannelKind][]
  const limitsByType = kinds.flatMap(([type, { summaryLimits = defaultSummaryLimits }]) =>
    summaryLimits === 'never' ? [] : [{ type, limits: summaryLimits }],
  )

  it.each(limitsByType)('stays within the length limit of the channel type $type', ({ type, limits }) => {
    // If 300 monitors go down, the first one gets its own message, and at most four messages list the others.
    const count = Math.min(299, Math.max(limits.maxMonitors, Math.ceil(299 / 4)))
    const alerts = Array.from({ length: count }, (_, n) =>
      createAlert(n, {
        monitor: { id: n, friendlyName: `${'Überwachung <&> '.repeat(6)} ${n}`, url: '', type: 'http', tags: [] },
      }),
    )
    const message = compose(alerts, limits, 'https://stats.example.org')
    expect(Buffer.byteLength(message.text ?? '')).toBeLessThanOrEqual(limits.maxBytes)
    // Messages of these two kinds are too short to name all monitors.
    expect((message.summary?.moreCount ?? 0) > 0).toBe(['sms', 'pushover'].includes(type))
  })

  it('keeps the limits of Slack and Telegram, and names every monitor in emails', () => {
    const monitorFields = { url: '', type: 'http' as const, tags: [] }
    const createAlerts = (count: number) =>
      Array.from({ length: count }, (_, n) =>
        createAlert(n, {
          monitor: { id: n, friendlyName: `<b>${n}</b> & <!channel> ${'x'.repeat(80)}`, ...monitorFields },
        }),
      )
    const composeLongNames = (count: number, limits: unknown) =>
      compose(createAlerts(count), limits as SummaryLimits, 'https://stats.example.org')

    const slackMessage = composeLongNames(300, channelKinds.slack.summaryLimits)
    const blocks = createSlackBlocks(slackMessage) as { text?: { text: string } }[]
    expect(blocks.length).toBeLessThanOrEqual(50)
    for (const { text } of blocks) expect(text?.text.length ?? 0).toBeLessThanOrEqual(3_000)
    const slackText = blocks.map(({ text }) => text?.text).join('\n')
    for (let n = 0; n < 300; n++) expect(slackText).toContain(`/incidents/${n}|&lt;b&gt;${n}&lt;/b&gt;`)
    expect(slackText).not.toContain('<!channel>')

    const telegramHtml = formatTelegramHtml(composeLongNames(75, channelKinds.telegram.summaryLimits))
    const visibleText = telegramHtml
      .replace(/<[^>]*>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&')
    expect(visibleText.length).toBeLessThanOrEqual(4_096)
    for (let n = 0; n < 75; n++) expect(visibleText).toContain(`\n<b>${n}</b> &`)

    const emailMessage = composeLongNames(300, channelKinds.email.summaryLimits)
    for (let n = 0; n < 300; n++) expect(formatMessageEmailText(emailMessage)).toContain(`\n<b>${n}</b> & <!channel>`)
    expect(formatMessageEmailHtml(emailMessage)).toContain('&lt;b&gt;299&lt;/b&gt; &amp; &lt;!channel&gt;')
    expect(formatMessage(emailMessage)).toMatch(/^🔴 Down: 300 monitors\n/)
  })
})
