/** The fictional websites and monitors in the screenshots, at a fixed time. */
import type { Cause } from '../../src/shared/causes.ts'
import type { MonitorType } from '../../src/shared/monitors.ts'
import { DAY_MS } from '../../src/shared/time.ts'

/** A Thursday, early in the afternoon. */
export const now = new Date('2026-11-12T13:24:18.000Z')
export const timeZone = 'Europe/Berlin'
export const account = { email: 'ada@example.com', password: 'correct horse battery' }

export const daysAgo = (days: number, from = now) => new Date(from.getTime() - days * DAY_MS)

export interface SampleWebsite {
  domain: string
  favorite?: true
  privacy?: 0 | 1
  visitorsPerDay: number
  /** The number of visitors a day now, divided by that of 100 days ago. */
  growth: number
  /** How many days ago a popular link to the website was published. */
  linkDaysAgo?: number
  /**
   * Days before today without visits from 9:00 to 15:00. If given, a year of visits is counted, for the replay of
   * traffic alerts.
   */
  silentDaysAgo?: readonly number[]
}

export const websites: readonly SampleWebsite[] = [
  { domain: 'shop.example.com', favorite: true, visitorsPerDay: 560, growth: 1.5, linkDaysAgo: 9 },
  {
    domain: 'lantern.example',
    favorite: true,
    privacy: 0,
    visitorsPerDay: 240,
    growth: 1.2,
    silentDaysAgo: [131, 268],
  },
  { domain: 'docs.lantern.example', visitorsPerDay: 150, growth: 1.7 },
  { domain: 'blog.example.org', visitorsPerDay: 70, growth: 1, linkDaysAgo: 17 },
  { domain: 'harbour-cafe.example', visitorsPerDay: 34, growth: 1.1 },
  { domain: 'meadow-school.example', visitorsPerDay: 90, growth: 0.9 },
  { domain: 'tidewater.example', visitorsPerDay: 22, growth: 2.4 },
  { domain: 'example.net', visitorsPerDay: 12, growth: 1 },
]

export interface SampleMonitor {
  name: string
  /** Empty for a heartbeat. */
  url: string
  type?: MonitorType
  /** The settings of the monitor's type. */
  options?: object
  /** The last output of a heartbeat. */
  output?: string
  intervalSeconds?: number
  /** Typical response time at the quietest hour of the day. */
  typicalMs: number
  /** How much the response time rises until the busiest hour: 0.35 means by 35 %. */
  swing?: number
  outagesPerYear: number
  outageCauses?: readonly Cause[]
  /** A slow period: its start and end in days before today. */
  slowPeriod?: readonly [from: number, to: number]
  historyDays?: number
  /** An outage in the last days, at a busy time, which cost visits. */
  recentOutage?: { daysAgo: number; minutes: number }
  /** How long the monitor has been down. undefined if it is up. */
  downForMinutes?: number
  pausedForDays?: number
  /** Days until the monitor's certificate or domain expires. */
  certificateDays?: number
  channels?: readonly SampleChannel['name'][]
}

export interface SampleChannel {
  name: 'Ops channel' | 'On call' | 'Night shift'
  fields: Record<string, string>
}

export const channels: readonly SampleChannel[] = [
  {
    name: 'Ops channel',
    fields: { provider_type: 'slack', webhook_url: 'https://chat.example.com/hooks/ops-7Qx2', channel: '#ops' },
  },
  { name: 'On call', fields: { provider_type: 'email', recipient_email: 'oncall@example.com' } },
  {
    name: 'Night shift',
    fields: { provider_type: 'telegram', chat_id: '-1001234567890', token: '123456:only-for-screenshots' },
  },
]

const allChannels = channels.map(({ name }) => name)

export const monitors: readonly SampleMonitor[] = [
  {
    name: 'Shop',
    url: 'https://shop.example.com/',
    typicalMs: 182,
    outagesPerYear: 34,
    slowPeriod: [12.4, 9.6],
    recentOutage: { daysAgo: 2.16, minutes: 47 },
    certificateDays: 61,
    channels: allChannels,
  },
  {
    name: 'Checkout',
    url: 'https://pay.shop.example.com/health',
    intervalSeconds: 30,
    typicalMs: 96,
    outagesPerYear: 9,
    downForMinutes: 23,
    outageCauses: ['http_status', 'timeout'],
    channels: allChannels,
  },
  { name: 'Search', url: 'https://search.shop.example.com/status', typicalMs: 64, swing: 1.1, outagesPerYear: 5 },
  { name: 'Lantern', url: 'https://lantern.example/', typicalMs: 121, outagesPerYear: 4, certificateDays: 17 },
  {
    name: 'Lantern API',
    url: 'https://api.lantern.example/v1/ping',
    intervalSeconds: 30,
    typicalMs: 41,
    outagesPerYear: 12,
  },
  { name: 'Documentation', url: 'https://docs.lantern.example/', typicalMs: 88, outagesPerYear: 2 },
  {
    name: 'Blog',
    url: 'https://blog.example.org/',
    typicalMs: 264,
    outagesPerYear: 7,
    outageCauses: ['tls', 'timeout', 'dns'],
  },
  {
    name: 'Harbour Café',
    url: 'https://harbour-cafe.example/',
    intervalSeconds: 300,
    typicalMs: 412,
    outagesPerYear: 22,
  },
  {
    name: 'Meadow School',
    url: 'https://meadow-school.example/',
    intervalSeconds: 300,
    typicalMs: 233,
    outagesPerYear: 6,
  },
  { name: 'Tidewater', url: 'https://tidewater.example/', typicalMs: 148, outagesPerYear: 3, historyDays: 41 },
  {
    name: 'Mail',
    url: 'https://mail.example.com/',
    typicalMs: 73,
    outagesPerYear: 3,
    outageCauses: ['connect', 'tls'],
  },
  { name: 'Office router', url: 'router.example.com', type: 'ping', typicalMs: 19, outagesPerYear: 14, swing: 0.9 },
  {
    name: 'Backup host',
    url: 'backup.example.com',
    type: 'ping',
    intervalSeconds: 300,
    typicalMs: 31,
    outagesPerYear: 4,
  },
  {
    name: 'Orders database',
    url: 'db.shop.example.com:5432',
    type: 'tcp',
    typicalMs: 7,
    outagesPerYear: 2,
    outageCauses: ['connect'],
  },
  {
    name: 'Mail records',
    url: 'example.com',
    type: 'dns',
    options: { dns: { record: 'MX', expected: ['10 mail.example.com'], match: 'exact' } },
    intervalSeconds: 300,
    typicalMs: 22,
    outagesPerYear: 1,
    outageCauses: ['dns'],
  },
  {
    name: 'Shop certificate',
    url: 'shop.example.com',
    type: 'tls',
    intervalSeconds: 3_600,
    typicalMs: 48,
    outagesPerYear: 0,
    certificateDays: 61,
  },
  {
    name: 'lantern.example domain',
    url: 'lantern.example',
    type: 'domain',
    intervalSeconds: 86_400,
    typicalMs: 310,
    outagesPerYear: 0,
    certificateDays: 23,
  },
  {
    name: 'Nightly backup',
    url: '',
    type: 'heartbeat',
    options: { heartbeat: { cron: '30 2 * * *', time_zone: timeZone, grace: 3_600 } },
    intervalSeconds: 86_400,
    typicalMs: 1_140_000,
    outagesPerYear: 3,
    outageCauses: ['heartbeat_failed', 'heartbeat_missed'],
    output: [
      'Dumping database shop… done (1.8 GB)',
      'Dumping database blog… done (212 MB)',
      'Encrypting with key backup@example.com',
      'Uploading shop.dump.gpg to backup.example.com… done in 11m 42s',
      'Uploading blog.dump.gpg to backup.example.com… done in 1m 08s',
      'Removed 1 backup older than 30 days',
    ].join('\n'),
  },
  {
    name: 'Old catalogue',
    url: 'https://catalogue.example.net/',
    typicalMs: 530,
    outagesPerYear: 9,
    pausedForDays: 6.2,
  },
]
