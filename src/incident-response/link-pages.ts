/** The texts behind the link that acknowledges an incident, as HTML. They show nothing that the message with the link doesn't say. */
import { markers, silenceWords } from '../channels/common/markers.ts'
import { getChannelKind } from '../channels/kinds.ts'
import { formatDuration } from '../lib/format.ts'
import { formatLocalTime } from '../lib/local-time.ts'
import { escapeHtml } from '../lib/text.ts'
import type { LinkedIncident } from './link-store.ts'

/** Names the channel as people know it: `Slack "Ops"`, or the address of an email channel without a name. */
export function describeChannel({ channelType, channelName, channelEmail }: LinkedIncident): string {
  const { label } = getChannelKind(channelType)
  return channelName === null ? (channelEmail ?? label) : `${label} "${channelName}"`
}

export const invalidLinkHtml =
  '<h1>Invalid link</h1><p>Copy the whole link from the message. It no longer works if the monitor or the notification channel was deleted.</p>'

/** A form without `action` posts to the URL of the page, which contains the token. */
const formHtml = '<form method="post"><button>Acknowledge incident</button></form>'

/** The link is relative to `/acknowledge/<token>`, so that it also works behind a proxy that adds a path. */
const linkHtml = ({ incidentId }: LinkedIncident) => `<p><a href="../incidents/${incidentId}">View incident</a></p>`

const emphasize = (text: string) => `<strong style="color:var(--text)">${escapeHtml(text)}</strong>`

function describeOutage(incident: LinkedIncident, timeZone: string): string {
  const { monitorName, monitorType, detail, startedAt, resolvedAt } = incident
  const word = monitorType === 'traffic' ? silenceWords.down : markers.down.word
  const start = formatLocalTime(startedAt, timeZone)
  const lines = [
    emphasize(resolvedAt === null ? `${word}: ${monitorName}` : monitorName),
    ...(detail === '' ? [] : [escapeHtml(detail)]),
    resolvedAt === null
      ? `Since ${start}`
      : `Began on ${start}, resolved after ${formatDuration(resolvedAt.getTime() - startedAt.getTime())}`,
  ]
  return `<p>${lines.join('<br>')}</p>`
}

/** What the page says depends on the state of the incident. Only an ongoing incident that nobody has acknowledged has a button. */
export function renderLinkedIncident(incident: LinkedIncident, timeZone: string): string {
  const { resolvedAt, acknowledgedAt, acknowledgedBy } = incident
  const outage = describeOutage(incident, timeZone)
  if (resolvedAt !== null) {
    return `<h1>Incident resolved</h1>${outage}<p>There is nothing left to acknowledge.</p>${linkHtml(incident)}`
  }
  if (acknowledgedAt !== null) {
    const time = formatLocalTime(acknowledgedAt, timeZone)
    return `<h1>Incident acknowledged</h1>${outage}<p>${emphasize(`Acknowledged by ${acknowledgedBy}`)}<br>On ${time}</p><p>Reminders and delayed alerts about this incident have stopped. You will get a message when it is resolved.</p>${linkHtml(incident)}`
  }
  return `<h1>Acknowledge incident?</h1>${outage}<p>This tells others that you are taking care of it. Belfry stops reminders and delayed alerts about this incident. The incident ends when the monitor recovers.</p>${formHtml}`
}
