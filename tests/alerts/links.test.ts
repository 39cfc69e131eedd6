/** An alert links to the pages of its monitor and its incident if BELFRY_URL is set. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAcknowledgeUrl } from '../../src/alerts/acknowledge-link.ts'
import { type Environment, readConfig } from '../../src/config/config.ts'
import { type AlertFixture, type AlertNode, startAlertFixture } from '../support/alerts.ts'
import { createSmsEnv } from '../support/channels.ts'
import type { HttpReceiver } from '../support/http-receiver.ts'
import { addIncident } from '../support/monitors.ts'
import { type SmtpReceiver, startSmtpReceiver } from '../support/smtp-receiver.ts'

const BASE_URL = 'https://stats.example.org/belfry'

let fixture: AlertFixture
let mail: SmtpReceiver
let incidentId: number
/** The channel of the last message. */
let channelId: number
let startNode: () => Promise<AlertNode>

beforeAll(async () => {
  mail = await startSmtpReceiver({ disabledCommands: ['AUTH', 'STARTTLS'] })
  fixture = await startAlertFixture(createEnv)
})
afterAll(async () => {
  await fixture.close()
  await mail.close()
})

const createEnv = ({ address }: HttpReceiver): Environment => ({
  BELFRY_TELEGRAM_API: address,
  ...createSmsEnv(address),
  BELFRY_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
  BELFRY_MAIL_FROM: 'belfry@example.org',
})

/** The tests share a server. Only the nodes that send alerts have the settings of the test. */
async function start(env: Environment): Promise<void> {
  fixture = await fixture.renew()
  const { sms, telegramApi, timeZone, url } = readConfig({ ...createEnv(fixture.receiver), ...env })
  startNode = () => fixture.startNode({ sms, telegramApi, timeZone, url })
  incidentId = await addIncident(fixture.server, fixture.monitorId, { from: 15, detail: 'Status 503' })
}

/** The fixture creates a Slack channel by default. */
const slack = {}
const telegram = { provider_type: 'telegram', webhook_url: undefined, chat_id: '1', token: '123456:ABC-DEF1234' }
const sms = { provider_type: 'sms', webhook_url: undefined, phone_number: '+4915112345678' }
const email = { provider_type: 'email', webhook_url: undefined, recipient_email: 'ops@example.com' }

/** Sends an alert through a new channel and returns the text that the receiver gets. */
async function sendThrough(channel: object, title = 'Down: Shop'): Promise<string> {
  const { outbox } = await startNode()
  fixture.receiver.respondWith(200, { ok: true })
  channelId = await fixture.createChannel(channel)
  await fixture.addAlert(channelId, { title, incidentId })
  await outbox.runOnce()
  const body = fixture.receiver.received.at(-1)?.body ?? ''
  return new URLSearchParams(body).get('Body') ?? JSON.parse(body).text
}

const listFacts = () => [
  'URL: https://example.com/',
  'Cause: Status 503',
  'Down since: 5 Jan 2026, 09:59:45 UTC',
  'Down for: 15 s',
]

describe('with BELFRY_URL a message', () => {
  const getMonitorUrl = () => `${BASE_URL}/monitors/${fixture.monitorId}`
  const getIncidentUrl = () => `${BASE_URL}/incidents/${incidentId}`
  const getAcknowledgeUrl = () =>
    createAcknowledgeUrl(fixture.server.services.secret, BASE_URL, {
      teamId: fixture.owner.id,
      incidentId,
      channelId,
    })

  it('by Slack has links in its text and in its blocks', async () => {
    await start({ BELFRY_URL: `${BASE_URL}/` })
    expect((await sendThrough(slack)).split('\n')).toEqual([
      '🔴 Down: Shop',
      ...listFacts(),
      `View incident: ${getIncidentUrl()}`,
      `Acknowledge: ${getAcknowledgeUrl()}`,
      `View monitor: ${getMonitorUrl()}`,
    ])
    const { blocks } = JSON.parse(fixture.receiver.received[0]?.body ?? '')
    expect(blocks.at(-2).text.text).toBe(
      `*<${getIncidentUrl()}|View incident>*  ·  <${getAcknowledgeUrl()}|Acknowledge>  ·  <${getMonitorUrl()}|View monitor>`,
    )
  })

  it('by Telegram ends with links', async () => {
    await start({ BELFRY_URL: BASE_URL })
    expect(await sendThrough(telegram)).toBe(
      [
        '🔴 <b>Down: Shop</b>',
        '',
        ...listFacts().map((fact) => fact.replace(/^(.*?:)/, '<b>$1</b>')),
        '',
        `<a href="${getIncidentUrl()}">View incident</a>`,
        `<a href="${getAcknowledgeUrl()}">Acknowledge</a>`,
        `<a href="${getMonitorUrl()}">View monitor</a>`,
      ].join('\n'),
    )
  })

  it('by SMS ends with one link, unless that would need a second segment', async () => {
    await start({ BELFRY_URL: 'https://b.example.org' })
    const facts = ['https://example.com/', 'Status 503', ...listFacts().slice(2)]
    const link = `Details: https://b.example.org/incidents/${incidentId}`
    expect((await sendThrough(sms)).split('\n')).toEqual(['Down: Shop', ...facts, link])
    const title = 'Down: The shop with a name of this many letters'
    expect((await sendThrough(sms, title)).split('\n')).toEqual([title, ...facts])
  })

  it('by email has links in the text part and in the HTML part', async () => {
    await start({ BELFRY_URL: BASE_URL })
    channelId = await fixture.createChannel(email)
    await fixture.addAlert(channelId, { title: 'Down: Shop', incidentId })
    await (await startNode()).outbox.runOnce()
    const { text, html = '' } = mail.received[0]?.mail ?? {}
    expect(text).toContain(
      `\n\n${listFacts().join('\n')}\n\nView incident: ${getIncidentUrl()}\nAcknowledge: ${getAcknowledgeUrl()}\nView monitor: ${getMonitorUrl()}\n\n-- \n`,
    )
    expect([...html.matchAll(/href="([^"]*)"/g)].map(([, url]) => url)).toEqual([
      getIncidentUrl(),
      getAcknowledgeUrl(),
      getMonitorUrl(),
    ])
  })
})

describe('the link that acknowledges an incident', () => {
  const sendAndReadPath = async () => {
    await start({ BELFRY_URL: 'https://b.example.org' })
    const text = await sendThrough({ name: 'Ops <3' })
    return /Acknowledge: https:\/\/b\.example\.org(\S+)/.exec(text)?.[1] ?? ''
  }
  const readIncident = async () => (await fixture.owner.session.get(`/api/incidents/${incidentId}`)).body.data
  const open = (path: string) => fixture.server.anyone.get(path)
  const submit = (path: string) => fixture.server.anyone.post(path)

  it('leads to a page that changes nothing until its form is sent', async () => {
    const path = await sendAndReadPath()
    const page = await open(path)
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page.text).toMatch(/Acknowledge incident\?.*Down: Shop.*Status 503.*<form method="post">/)
    expect(await readIncident()).toMatchObject({ acknowledged_at: null })
    const donePage = await submit(path)
    expect(donePage.text).toMatch(/Incident acknowledged.*Acknowledged by Slack &quot;Ops &lt;3&quot;.*On 5 Jan/)
    expect(donePage.text).toContain(`<a href="../incidents/${incidentId}">View incident</a>`)
    expect(await readIncident()).toMatchObject({ acknowledged_by: 'Slack "Ops <3"', status: 'open' })
    expect((await open(path)).text).toMatch(/Incident acknowledged(?!.*<form)/)
    expect(fixture.server.logLines.join('')).not.toContain(path)
  })

  it('names the address of an email channel without a name', async () => {
    await start({ BELFRY_URL: 'https://b.example.org' })
    channelId = await fixture.createChannel(email)
    await fixture.addAlert(channelId, { title: 'Down: Shop', incidentId })
    await (await startNode()).outbox.runOnce()
    await submit(/Acknowledge: https:\/\/b\.example\.org(\S+)/.exec(mail.received.at(-1)?.mail.text ?? '')?.[1] ?? '')
    expect(await readIncident()).toMatchObject({ acknowledged_by: email.recipient_email })
  })

  it('says so if the incident is resolved, and doesn’t acknowledge it', async () => {
    const path = await sendAndReadPath()
    await fixture.owner.session.call('PATCH', `/api/monitors/${fixture.monitorId}`, { json: { is_active: false } })
    for (const page of [await open(path), await submit(path)]) {
      expect(page.text).toMatch(/Incident resolved.*resolved after 15 s(?!.*<form)/)
    }
    expect(await readIncident()).toMatchObject({ acknowledged_at: null })
  })

  it('is invalid after the channel was deleted, and if it is changed', async () => {
    const path = await sendAndReadPath()
    await fixture.owner.session.delete(`/api/providers/${channelId}`)
    for (const invalidPath of [path, `${path}0`, '/acknowledge/x']) {
      const pages = [await open(invalidPath), await submit(invalidPath)]
      expect(pages.map(({ status }) => status)).toEqual([404, 404])
      expect(pages[0]?.text).toContain('Invalid link')
    }
    expect(await readIncident()).toMatchObject({ acknowledged_at: null })
  })
})

describe('without BELFRY_URL a message', () => {
  it('has no link', async () => {
    await start({})
    for (const channel of [slack, telegram, sms]) {
      expect(await sendThrough(channel)).not.toMatch(/View|href|Details|Acknowledge/)
      expect(fixture.receiver.received.at(-1)?.body).not.toContain('View')
    }
  })
})

describe('the times of a message', () => {
  it('are in the time zone of the website that the monitor belongs to, or else of the server', async () => {
    await start({ BELFRY_TIME_ZONE: 'America/New_York' })
    const { owner, createMonitor, createChannel, server, addAlert } = fixture
    // Each alert gets a message of its own.
    await owner.session.call('PATCH', '/api/account', { json: { group_alerts: false } })
    const stranger = await server.createUser('stranger')
    for (const [{ session }, domain, time_zone] of [
      [owner, 'example.com', 'Europe/Berlin'],
      [owner, 'eu.example.com', 'Europe/Helsinki'],
      [stranger, 'example.org', 'Asia/Tokyo'],
    ] as const) {
      await session.post('/api/v1/websites', { domain, time_zone })
    }
    const { outbox } = await startNode()
    const channelId = await createChannel()
    for (const url of [
      'https://www.example.com/',
      'https://shop.eu.example.com/',
      'https://notexample.com/',
      'https://example.org/',
    ]) {
      const monitorId = await createMonitor({ url })
      const id = await addIncident(server, monitorId, { from: 0, detail: 'Status 503' })
      await addAlert(channelId, { monitorId, incidentId: id })
    }
    await outbox.runOnce()
    expect(fixture.receiver.received.map(({ body }) => /Down since: ([^\\]*)/.exec(body)?.[1])).toEqual([
      '5 Jan 2026, 11:00:00 (Europe/Berlin, UTC+1)',
      '5 Jan 2026, 12:00:00 (Europe/Helsinki, UTC+2)',
      '5 Jan 2026, 05:00:00 (America/New_York, UTC−5)',
      '5 Jan 2026, 05:00:00 (America/New_York, UTC−5)',
    ])
  })
})
