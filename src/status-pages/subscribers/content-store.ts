/** SQL that reads the content of a message to a subscriber just before it is sent. Works across users. */
import type { PostState } from '../../shared/status-pages.ts'
import type { Row, Statement } from '../../storage/batch.ts'
import type { Queries } from '../../storage/transaction.ts'
import type { StatusMessage, StatusMessageKind } from './outbox-store.ts'

/** What every message needs: its recipient and the page that it comes from. */
export interface MessageRecipient {
  subscriberId: number
  email: string
  page: { slug: string; title: string; customDomain: string | null; timeZone: string }
}

export interface PostUpdateContent {
  postId: number
  postedAt: Date
  title: string
  state: PostState
  /** Markdown, as the owner wrote it. */
  body: string
  at: Date
  /** Whether this is the first update of the post. */
  isFirst: boolean
  labels: string[]
}

export interface MaintenanceContent {
  title: string
  note: string | null
  startsAt: Date
  endsAt: Date
  isRecurring: boolean
  labels: string[]
}

export type MessageContent = MessageRecipient &
  (
    | { kind: 'confirmation' }
    | { kind: 'post_update'; update: PostUpdateContent }
    | { kind: 'maintenance'; maintenance: MaintenanceContent }
  )

/**
 * Returns undefined if the message must not be sent any more: the subscriber left, the page is private, the update or
 * maintenance was deleted, or the maintenance is over.
 */
export async function findMessageContent(
  q: Queries,
  message: StatusMessage,
  now: Date,
): Promise<MessageContent | undefined> {
  const subjectStatements = {
    confirmation: [],
    post_update: [selectPostUpdate(message)],
    maintenance: [selectMaintenance(message, now)],
  }
  const [recipients, subjects] = await q.batch(selectRecipient(message), ...subjectStatements[message.kind])
  const recipientRow = recipients?.rows[0]
  if (recipientRow === undefined) return undefined
  const recipient = toRecipient(message.subscriberId, recipientRow)
  if (message.kind === 'confirmation') return { ...recipient, kind: message.kind }
  const row = subjects?.rows[0]
  if (row === undefined) return undefined
  return message.kind === 'post_update'
    ? { ...recipient, kind: message.kind, update: row as PostUpdateContent & Row }
    : { ...recipient, kind: message.kind, maintenance: row as MaintenanceContent & Row }
}

const recipientStates: Record<StatusMessageKind, readonly string[]> = {
  // A bounced subscriber whose mailbox works again can subscribe again.
  confirmation: ['pending', 'bounced'],
  post_update: ['confirmed'],
  maintenance: ['confirmed'],
}

const selectRecipient = ({ teamId, subscriberId, pageId, kind }: StatusMessage): Statement => ({
  text: `select s.email, p.slug, p.title, p.time_zone,
                case when p.custom_domain_verified_at is not null then p.custom_domain end as custom_domain
           from status_subscribers s
           join status_pages p on p.user_id = s.user_id and p.id = s.page_id
          where s.user_id = $1 and s.id = $2 and s.page_id = $3 and s.state = any ($4) and p.privacy <> 1`,
  values: [teamId, subscriberId, pageId, recipientStates[kind]],
})

function toRecipient(subscriberId: number, row: Row): MessageRecipient {
  const { email, slug, title, custom_domain: customDomain, time_zone: timeZone } = row
  return { subscriberId, email, page: { slug, title, customDomain, timeZone } }
}

const selectPostUpdate = ({ teamId, pageId, subjectId }: StatusMessage): Statement => ({
  text: `select t.id as "postId", t.created_at as "postedAt", t.title, u.state, u.body, u.created_at as at,
                not exists (select from status_post_updates e
                             where e.user_id = u.user_id and e.post_id = u.post_id and e.id < u.id) as "isFirst",
                array(select m.label
                        from status_post_monitors a
                        join status_page_monitors m
                          on m.user_id = a.user_id and m.page_id = t.page_id and m.monitor_id = a.monitor_id
                       where a.user_id = t.user_id and a.post_id = t.id
                       order by m.group_position, m.position) as labels
           from status_post_updates u
           join status_posts t on t.user_id = u.user_id and t.id = u.post_id
          where u.user_id = $1 and u.id = $2 and t.page_id = $3`,
  values: [teamId, subjectId, pageId],
})

/** Selects the window in progress or the next one. */
const selectMaintenance = ({ teamId, pageId, subjectId }: StatusMessage, now: Date): Statement => ({
  text: `select t.title, t.note, w.starts_at as "startsAt", w.ends_at as "endsAt", t.cron is not null as "isRecurring",
                covered.labels
           from maintenances t
           join maintenance_windows w on w.user_id = t.user_id and w.maintenance_id = t.id
          cross join lateral (
            select array_agg(p.label order by p.group_position, p.position) as labels
              from status_page_monitors p
              join monitors m on m.user_id = p.user_id and m.id = p.monitor_id
             where p.user_id = t.user_id and p.page_id = $3
               and (t.all_monitors or m.tag_keys && t.tag_keys
                    or exists (select from maintenance_monitors c
                                where c.user_id = t.user_id and c.maintenance_id = t.id and c.monitor_id = m.id))
          ) covered
          where t.user_id = $1 and t.id = $2 and w.state <> 'past' and w.ends_at > $4 and covered.labels is not null
          order by w.starts_at
          limit 1`,
  values: [teamId, subjectId, pageId, now],
})
