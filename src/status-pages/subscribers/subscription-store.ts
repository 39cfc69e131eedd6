/** SQL for people who subscribe to a page, confirm, choose monitors, or unsubscribe. Works across users. */

import { MAX_SUBSCRIBERS_PER_PAGE, type StatusPageTheme, type SubscriberState } from '../../shared/status-pages.ts'
import type { Privacy } from '../../shared/websites.ts'
import type { Queries } from '../../storage/transaction.ts'

/** Unconfirmed subscribers are deleted after this time. */
export const PENDING_DAYS = 7

export interface SubscriptionPage {
  teamId: number
  pageId: number
  slug: string
  title: string
  theme: StatusPageTheme
  accentColor: string | null
  privacy: Privacy
  passwordHash: string | null
  logoHash: string | null
  /** In the order in which the page shows them. */
  monitors: { id: number; label: string }[]
}

export interface Subscriber {
  id: number
  email: string
  state: SubscriberState
  /** null: the whole page. */
  monitorIds: number[] | null
}

const pageColumns = `
  p.user_id as "teamId", p.id as "pageId", p.slug, p.title, p.theme, p.accent_color as "accentColor", p.privacy,
  p.password_hash as "passwordHash",
  (select l.content_hash from status_page_logos l where l.user_id = p.user_id and l.page_id = p.id) as "logoHash",
  coalesce((select json_agg(json_build_object('id', m.monitor_id, 'label', m.label) order by m.group_position, m.position)
              from status_page_monitors m
             where m.user_id = p.user_id and m.page_id = p.id), '[]') as monitors`

/** Nobody can subscribe to a private page, so it is not found. */
export async function findSubscriptionPage(q: Queries, slug: string): Promise<SubscriptionPage | undefined> {
  const [page] = await q.query<SubscriptionPage & Record<string, unknown>>(
    `select ${pageColumns} from status_pages p where p.slug = $1 and p.privacy <> 1`,
    [slug],
  )
  return page
}

/** Finds a subscriber and their page, whatever slug and privacy the page has now. */
export async function findSubscriberWithPage(
  q: Queries,
  subscriberId: number,
): Promise<{ subscriber: Subscriber; page: SubscriptionPage } | undefined> {
  const [row] = await q.query(
    `select s.id, s.email, s.state, s.all_monitors,
            array(select f.monitor_id
                    from status_subscriber_monitors f
                   where f.user_id = s.user_id and f.subscriber_id = s.id) as monitor_ids,
            ${pageColumns}
       from status_subscribers s
       join status_pages p on p.user_id = s.user_id and p.id = s.page_id
      where s.id = $1`,
    [subscriberId],
  )
  if (row === undefined) return undefined
  const { id, email, state, all_monitors: allMonitors, monitor_ids: monitorIds, ...page } = row
  const subscriber = { id, email, state, monitorIds: allMonitors ? null : monitorIds } as Subscriber
  return { subscriber, page: page as unknown as SubscriptionPage }
}

export interface AddressState {
  subscriber: { id: number; state: SubscriberState } | undefined
  isPageFull: boolean
  confirmations: {
    /** Confirmations to this address for this page. */
    ofPageInADay: number
    ofPageInAMonth: number
    /** Confirmations to this address for all pages. */
    ofAllPagesInADay: number
  }
}

/** Locks the address until the end of the transaction, so that concurrent requests can't exceed the limits. */
export async function lockAddress(
  q: Queries,
  { teamId, pageId }: SubscriptionPage,
  { emailKey, addressHmac }: { emailKey: string; addressHmac: Buffer },
  now: Date,
): Promise<AddressState> {
  const [, subscribers, counts] = await q.batch(
    {
      text: `select pg_advisory_xact_lock(hashtextextended('status subscriber ' || encode($1::bytea, 'hex'), 0))`,
      values: [addressHmac],
    },
    {
      text: `select id, state from status_subscribers where user_id = $1 and page_id = $2 and email_key = $3`,
      values: [teamId, pageId, emailKey],
    },
    {
      text: `select count(*) filter (where is_day and is_page)::int as "ofPageInADay",
                    count(*) filter (where is_page)::int as "ofPageInAMonth",
                    count(*) filter (where is_day)::int as "ofAllPagesInADay",
                    (select count(*)
                       from status_subscribers
                      where user_id = $1 and page_id = $2 and state <> 'pending') >= $5 as "isPageFull"
               from (select user_id = $1 and page_id = $2 as is_page,
                            created_at > $4::timestamptz - interval '1 day' as is_day
                       from status_confirmations
                      where address_hmac = $3 and created_at > $4::timestamptz - interval '30 days') recent`,
      values: [teamId, pageId, addressHmac, now, MAX_SUBSCRIBERS_PER_PAGE],
    },
  )
  return {
    subscriber: subscribers?.rows[0] as AddressState['subscriber'],
    isPageFull: counts?.rows[0]?.['isPageFull'],
    confirmations: counts?.rows[0] as AddressState['confirmations'],
  }
}

/** Returns the id of the new subscriber, or undefined if the page was deleted in the meantime. */
export async function insertSubscriber(
  q: Queries,
  { teamId, pageId }: SubscriptionPage,
  { email, emailKey, isForAll }: { email: string; emailKey: string; isForAll: boolean },
  now: Date,
): Promise<number | undefined> {
  const [row] = await q.query<{ id: number }>(
    `insert into status_subscribers (user_id, page_id, email, email_key, state, all_monitors, created_at)
     select p.user_id, p.id, $3, $4, 'pending', $5, $6
       from status_pages p
      where p.user_id = $1 and p.id = $2
        for key share
     returning id`,
    [teamId, pageId, email, emailKey, isForAll, now],
  )
  return row?.id
}

/** `monitorIds` is null for the whole page. Monitors that are not on the page any more are left out. */
export async function setSubscriberMonitors(
  q: Queries,
  { teamId, pageId }: SubscriptionPage,
  subscriberId: number,
  monitorIds: readonly number[] | null,
): Promise<void> {
  await q.batch(
    {
      text: 'update status_subscribers set all_monitors = $3 where user_id = $1 and id = $2',
      values: [teamId, subscriberId, monitorIds === null],
    },
    {
      text: `delete from status_subscriber_monitors
              where user_id = $1 and subscriber_id = $2 and not monitor_id = any ($3)`,
      values: [teamId, subscriberId, monitorIds ?? []],
    },
    {
      text: `insert into status_subscriber_monitors (user_id, subscriber_id, monitor_id)
             select s.user_id, s.id, m.monitor_id
               from status_subscribers s
               join status_page_monitors m on m.user_id = s.user_id and m.page_id = s.page_id
              where s.user_id = $1 and s.id = $2 and s.page_id = $3 and m.monitor_id = any ($4)
             on conflict do nothing`,
      values: [teamId, subscriberId, pageId, monitorIds ?? []],
    },
  )
}

/** Queues the confirmation email. If the subscriber already has one, this one replaces it and has a new Message-ID. */
export async function insertConfirmation(
  q: Queries,
  { teamId, pageId }: SubscriptionPage,
  { subscriberId, addressHmac }: { subscriberId: number; addressHmac: Buffer },
  now: Date,
): Promise<void> {
  await q.batch(
    {
      text: `insert into status_messages (user_id, page_id, subscriber_id, kind, subject_id, created_at, next_attempt_at)
             values ($1, $2, $3, 'confirmation', 0, $4, $4)
             on conflict (user_id, subscriber_id, kind, subject_id)
               do update set message_id = gen_random_uuid(), state = 'waiting', attempts = 0, claimed_by = null,
                             answer = null, created_at = $4, next_attempt_at = $4`,
      values: [teamId, pageId, subscriberId, now],
    },
    {
      text: `insert into status_confirmations (user_id, page_id, address_hmac, created_at) values ($1, $2, $3, $4)`,
      values: [teamId, pageId, addressHmac, now],
    },
  )
}

export async function confirmSubscriber(q: Queries, subscriberId: number, now: Date): Promise<void> {
  await q.query(
    `update status_subscribers
        set state = 'confirmed', confirmed_at = coalesce(confirmed_at, $2), rejections = 0
      where id = $1 and state <> 'confirmed'`,
    [subscriberId, now],
  )
}

/** Deletes the subscriber, and the messages that wait to be sent to them. */
export async function deleteSubscriber(q: Queries, subscriberId: number): Promise<void> {
  await q.query('delete from status_subscribers where id = $1', [subscriberId])
}

export async function deleteExpiredSubscriptions(q: Queries, now: Date): Promise<void> {
  await q.batch(
    {
      text: `delete from status_subscribers
              where state = 'pending' and created_at < $1::timestamptz - $2 * interval '1 day'`,
      values: [now, PENDING_DAYS],
    },
    {
      text: `delete from status_confirmations where created_at < $1::timestamptz - interval '30 days'`,
      values: [now],
    },
  )
}
