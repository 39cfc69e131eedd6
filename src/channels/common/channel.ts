/** The interface that each kind of channel implements. A new kind is one file in `channels/kinds/` and one line in `channels/kinds.ts`. */
import type { ParseResult } from '../../lib/field-parser.ts'
import type { CustomHeaders } from '../../lib/http-headers.ts'
import type { MailLink } from '../../mail/parts.ts'
import type { Diagnosis, Impact, Visitors } from '../../shared/impact.ts'
import type { MonitorType } from '../../shared/monitors.ts'
import type { SpikeDetails } from '../../shared/spike.ts'
import type { MessageKind } from './markers.ts'
import type { Transports } from './transports.ts'

export interface MessageFact {
  label: string
  value: string
  /** Whether the value is a URL or a sentence, which needs a line of its own. */
  isLong?: boolean
  /** Whether text messages omit this fact, because their length costs money. */
  isOptional?: boolean
}

/** What an alert is about, for receivers that are programs. */
export interface AlertSubject {
  event: Exclude<MessageKind, 'test'>
  monitor: { id: number; friendlyName: string; url: string; type: MonitorType; tags: readonly string[] }
  /** null for warnings about an expiry date and for traffic spikes. */
  incident: AlertedIncident | null
  /** Set only for warnings about an expiry date. */
  expiresAt: Date | null
  /** Set only for traffic spikes. */
  details: SpikeDetails | null
  /** The page that acknowledges the incident without signing in. null if there is nothing to acknowledge, or no public URL. */
  acknowledgeUrl: string | null
}

export interface AlertedIncident {
  id: number
  cause: string
  detail: string
  startedAt: Date
  resolvedAt: Date | null
  /** null if the impact is not measured yet, or if no website belongs to the monitor. */
  impact: Impact | null
  visitors: Visitors | null
  /** Set only for the cause silence. */
  diagnosis: Diagnosis | null
  /** Who takes care of the incident; null if nobody has acknowledged it. */
  acknowledgedBy: string | null
}

export interface SummaryEntry {
  name: string
  /** Empty if the message has no room for it. */
  detail: string
  /** The page of the incident in Belfry. */
  url: string | undefined
  /** Missing if the incident can't be acknowledged, or if the message lists too many incidents. */
  acknowledgeUrl?: string
}

/** What a message about several monitors lists. */
export interface MessageSummary {
  sections: readonly { state: 'down' | 'recovered'; entries: readonly SummaryEntry[] }[]
  /** How many incidents are not listed, because the message has no room for them. */
  moreCount: number
  /** All alerts that the message is about, for receivers that are programs. */
  subjects: readonly AlertSubject[]
}

export interface SummaryLimits {
  /** A summary of more monitors is split into several messages, up to `MAX_MESSAGES_PER_SUMMARY`. */
  maxMonitors: number
  /** The maximum length of the list in a message, in bytes of UTF-8. */
  maxBytes: number
}

/** A summary within these limits fits into a message of every kind that has no limits of its own. */
export const defaultSummaryLimits: SummaryLimits = { maxMonitors: 75, maxBytes: 2_600 }

export interface ChannelMessage {
  /** The id is the same for every attempt, so that the receiver can recognize a repeat. */
  id: string
  /** Ids of the earlier messages about the same incidents, so that mail programs show them together. */
  inReplyTo?: readonly string[]
  /** How the receiver responded to the message that announced the incident. It may contain the receiver's id of that message. */
  announcementResponse?: string
  kind: MessageKind
  /** One line, without the symbol that `markers` has for the kind of the message, such as 🔴. */
  title: string
  /** The two parts of the title of an alert, for layouts that show them separately. */
  alert?: { state: string; monitorName: string }
  /** Missing for test notifications and summaries. */
  subject?: AlertSubject
  text?: string
  /** Only for messages about several monitors. `text` says the same, for layouts without a list. */
  summary?: MessageSummary
  facts?: readonly MessageFact[]
  /** Pages with details, the most specific one first. */
  links?: readonly MailLink[]
  /** Only for test emails: the page on which the recipient can block all emails from this server. */
  blockUrl?: string
}

/** Rules for fields that depend on the server's configuration. */
export interface ChannelRules {
  /** Whether webhook URLs can use http. True only for servers that allow private targets. */
  allowsHttp: boolean
  /** Domains that email can be sent to. undefined: every domain. */
  mailDomains: readonly string[] | undefined
}

interface FieldInfo {
  description: string
  isRequired: boolean
  /** Secrets are stored encrypted. Responses contain only the last four characters. */
  isSecret: boolean
}

export interface TextField extends FieldInfo {
  example: string
  /** JSON Schema of the value. The type is string by default. */
  schema: {
    type?: string[]
    minLength?: number
    maxLength: number
    minimum?: number
    maximum?: number
    format?: string
  }
  /**
   * Whether the secrets of the other fields are sent to this address. If the address changes, the client must send the
   * secrets again.
   */
  isDestination?: boolean
  parse?: (text: string, rules: ChannelRules) => ParseResult<string>
}

/** Custom headers. The values are secret, the names are not. */
export interface HeadersField extends FieldInfo {
  example: CustomHeaders
  maxHeaders: number
  /** Whether the channel sets this header itself. */
  isReserved: (lowerCaseName: string) => boolean
  isSecret: true
  isRequired: false
}

export type ChannelField = TextField | HeadersField

/** null means that an optional field has no value. */
export type SettingValue = string | CustomHeaders | null
export type ChannelSettings<Name extends string = string> = Record<Name, SettingValue>

export interface SendContext {
  transports: Transports
  /** When the attempt started. */
  now: Date
  /** Aborted when the attempt takes too long or the server stops. */
  signal: AbortSignal
}

export interface ChannelKind<Name extends string = string> {
  /** Display name. */
  label: string
  /** The subject of sentences such as "The mail server accepted the message". */
  receiver: string
  /** The emoji that a test message shows after the words "Test notification". Empty for SMS, webhooks and PagerDuty. */
  testEmoji: string
  /** Maximum number of messages of this kind that are sent concurrently. */
  maxConcurrent: number
  fields: Record<Name, ChannelField>
  /**
   * How much of a summary fits into one message. The default is `defaultSummaryLimits`. 'never': each alert needs a message of its
   * own.
   */
  summaryLimits?: SummaryLimits | 'never'
  /** Resolves with the receiver's response. Rejects with a DeliveryError. */
  send(settings: ChannelSettings<Name>, message: ChannelMessage, context: SendContext): Promise<string>
}
