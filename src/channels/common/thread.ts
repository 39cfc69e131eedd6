/** Groups the messages about one incident into a thread. */
import type { AlertSubject, ChannelMessage } from './channel.ts'

/**
 * Returns the key of what an alert is about. An expiry warning and a traffic spike have their own keys, because they can be sent
 * during an incident.
 */
export function createThreadKey({ event, monitor, incident, expiresAt, details }: AlertSubject): string {
  if (incident !== null) return `belfry-incident-${incident.id}`
  if (event === 'spike') return `belfry-monitor-${monitor.id}-spike-${details?.since.slice(0, 10) ?? 'unknown'}`
  return `belfry-monitor-${monitor.id}-expiry-${expiresAt?.toISOString().slice(0, 10) ?? 'unknown'}`
}

/** Without this limit, the header of a summary of hundreds of recoveries would have many kilobytes. */
const MAX_REFERENCES = 20

/**
 * Returns ids that all emails about the same incident refer to, although no email has this id itself. Gmail puts emails with the same
 * sender and subject into one conversation unless their references differ, so the first email about an incident needs a reference, too.
 * The start of the incident keeps incidents of different servers apart.
 */
export function listMailReferences({ subject, summary }: ChannelMessage): string[] {
  const subjects = subject === undefined ? (summary?.subjects ?? []) : [subject]
  const references = subjects.map((item) => {
    const startedAt = item.incident?.startedAt.getTime()
    return startedAt === undefined ? createThreadKey(item) : `${createThreadKey(item)}-${startedAt.toString(36)}`
  })
  return [...new Set(references)].slice(0, MAX_REFERENCES)
}

/**
 * The subject of an email. Gmail shows emails as one conversation if they have the same subject, and ignores square brackets at its
 * beginning. So the state, which changes, is in brackets, and the name of the monitor, which stays the same, follows.
 */
export function formatMailSubject(
  symbol: string,
  { state, monitorName }: { state: string; monitorName: string },
): string {
  return `[${symbol} ${state}] ${monitorName}`
}
