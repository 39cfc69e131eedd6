/** Composes the message about several alerts. */

import type { ChannelMessage, MessageSummary, SummaryEntry, SummaryLimits } from '../channels/common/channel.ts'
import { markers, silenceWords } from '../channels/common/markers.ts'
import { shortenToBytes } from '../channels/common/message-text.ts'
import { toVisibleLine } from '../lib/text.ts'
import { listDownMessages, type MessageContext, toAlertSubject } from './alert-message.ts'
import { describeImpact, describeVisitors } from './impact-facts.ts'
import { describeRecovery, shortenDetail } from './messages.ts'
import type { AlertDelivery, AlertMessage } from './queue-store.ts'

type SummaryState = MessageSummary['sections'][number]['state']

/** Longer lines are hard to read in a list. */
const MAX_LINE_BYTES = 200
/** Less than this would not be enough to recognize a monitor by its name. */
const MIN_LINE_BYTES = 20
/** Less than this would not be enough to understand a cause, so only the name is shown. */
const MIN_DETAIL_BYTES = 12
/** Bytes for the headings of sections, and for the line that counts the incidents that are not listed. */
const RESERVED_BYTES = 50

export function composeSummary(
  { messageId, alerts }: AlertDelivery,
  { baseUrl }: Pick<MessageContext, 'baseUrl'>,
  limits: SummaryLimits,
): ChannelMessage {
  const incidents = listIncidents(alerts)
  const listedCount = Math.min(incidents.length, Math.floor((limits.maxBytes - RESERVED_BYTES) / (MIN_LINE_BYTES + 1)))
  const lineBytes = Math.floor((limits.maxBytes - RESERVED_BYTES) / Math.max(1, listedCount)) - 1
  const toEntry = (alert: AlertMessage) => createEntry(alert, Math.min(lineBytes, MAX_LINE_BYTES), baseUrl)
  const listed = incidents.slice(0, listedCount)
  const sections = (['down', 'recovered'] as const)
    .map((state) => ({ state, entries: listed.filter(({ event }) => event === state).map(toEntry) }))
    .filter(({ entries }) => entries.length > 0)
  const summary = { sections, moreCount: incidents.length - listedCount, subjects: alerts.map(toAlertSubject) }
  return {
    id: messageId,
    inReplyTo: listDownMessages(alerts),
    kind: incidents.some(({ event }) => event === 'down') ? 'down' : 'recovered',
    title: formatTitle(incidents),
    text: formatSummaryText(summary),
    summary,
    links: baseUrl === undefined ? [] : [{ label: 'View monitors', url: `${baseUrl}/monitors` }],
  }
}

/**
 * Returns one alert per incident: the latest, if it has begun and ended. Open incidents come before resolved ones, then
 * the oldest first.
 */
function listIncidents(alerts: readonly AlertMessage[]): AlertMessage[] {
  const latest = new Map(alerts.map((alert) => [`${alert.monitor.id} ${alert.incident?.id}`, alert]))
  return [...latest.values()].sort((a, b) => (a.event === b.event ? 0 : a.event === 'down' ? -1 : 1))
}

function formatTitle(incidents: readonly AlertMessage[]): string {
  const count = (state: SummaryState) =>
    new Set(incidents.filter(({ event }) => event === state).map(({ monitor }) => monitor.id)).size
  const [down, recovered] = [count('down'), count('recovered')]
  const isSilence = incidents.every(({ monitor }) => monitor.type === 'traffic')
  const [downWord, recoveredWord] = isSilence
    ? [silenceWords.down, silenceWords.recovered]
    : [markers.down.word, markers.recovered.word]
  const noun = isSilence ? 'website' : 'monitor'
  const formatCount = (number: number) => `${number} ${number === 1 ? noun : `${noun}s`}`
  if (down === 0) return `${recoveredWord}: ${formatCount(recovered)}`
  const title = `${downWord}: ${formatCount(down)}`
  return recovered === 0 ? title : `${title}, ${recoveredWord.toLowerCase()}: ${recovered}`
}

function createEntry(alert: AlertMessage, maxBytes: number, baseUrl: string | undefined): SummaryEntry {
  const name = shortenToBytes(toVisibleLine(alert.monitor.friendlyName, maxBytes), maxBytes)
  const detailBytes = maxBytes - Buffer.byteLength(`${name}: `)
  const detail = detailBytes < MIN_DETAIL_BYTES ? '' : shortenToBytes(describeIncident(alert), detailBytes)
  return { name, detail, url: baseUrl && `${baseUrl}/monitors/${alert.monitor.id}` }
}

function describeIncident({ event, monitor, incident, createdAt }: AlertMessage): string {
  if (incident === null) return ''
  const { detail, startedAt, resolvedAt } = incident
  if (event === 'down') {
    const visitors = describeVisitors(incident)
    return [shortenDetail(detail), visitors && `Traffic: ${visitors}`].filter(Boolean).join('. ')
  }
  const recovery = describeRecovery({ type: monitor.type, since: startedAt, now: resolvedAt ?? createdAt })
  return [recovery, describeImpact(incident)].filter(Boolean).join(', ')
}

const formatEntry = ({ name, detail }: SummaryEntry) => (detail === '' ? name : `${name}: ${detail}`)

function formatSummaryText({ sections, moreCount }: MessageSummary): string {
  const lines = sections.flatMap(({ state, entries }) => [
    ...(sections.length > 1 ? [markers[state].word] : []),
    ...entries.map(formatEntry),
  ])
  return [...lines, ...(moreCount > 0 ? [`and ${moreCount} more`] : [])].join('\n')
}
