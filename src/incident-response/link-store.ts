/** SQL that finds the incident behind a link in a message, across users. */
import type { AcknowledgeTarget } from '../alerts/acknowledge-link.ts'
import type { ChannelType } from '../channels/kinds.ts'
import type { MonitorType } from '../shared/monitors.ts'
import type { Queries } from '../storage/transaction.ts'

export interface LinkedIncident {
  incidentId: number
  monitorName: string
  monitorType: MonitorType
  detail: string
  startedAt: Date
  resolvedAt: Date | null
  acknowledgedAt: Date | null
  acknowledgedBy: string | null
  channelType: ChannelType
  channelName: string | null
  /** The address of an email channel. */
  channelEmail: string | null
}

/** Returns undefined if the incident or the channel was deleted. So deleting a channel makes the links in its messages useless. */
export async function findLinkedIncident(
  q: Queries,
  { teamId, incidentId, channelId }: AcknowledgeTarget,
): Promise<LinkedIncident | undefined> {
  const [incident] = await q.query<LinkedIncident & Record<string, unknown>>(
    `select i.id as "incidentId", m.friendly_name as "monitorName", m.type as "monitorType", i.detail,
            i.started_at as "startedAt", i.resolved_at as "resolvedAt", i.acknowledged_at as "acknowledgedAt",
            i.acknowledged_by as "acknowledgedBy", p.provider_type as "channelType", p.name as "channelName",
            p.settings->>'recipient_email' as "channelEmail"
       from incidents i
       join monitors m on m.user_id = i.user_id and m.id = i.monitor_id
       join providers p on p.user_id = i.user_id and p.id = $3
      where i.user_id = $1 and i.id = $2`,
    [teamId, incidentId, channelId],
  )
  return incident
}
