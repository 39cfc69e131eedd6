/** SQL for invitations. Row level security lets only those who manage the people of a team see and change them. */
import type { GuestAccess, Role } from '../shared/roles.ts'
import { actAsUser } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'

export interface InvitationRow {
  id: number
  email: string
  role: Role
  guest_can_edit: boolean
  website_ids: number[]
  page_ids: number[]
  /** The address of the inviter; null from the command line. */
  invited_by: string | null
  is_mailed: boolean
  created_at: Date
  expires_at: Date
}

/** Lists the open invitations of the caller's team, newest first. */
export async function listInvitations(q: Queries, now: Date, id?: number): Promise<InvitationRow[]> {
  return q.query<InvitationRow & Record<string, unknown>>('select * from list_invitations($1, $2)', [now, id ?? null])
}

export async function isMemberAddress(q: Queries, email: string): Promise<boolean> {
  return (await q.query('select from list_members(null) where lower(email) = lower($1)', [email])).length > 0
}

/**
 * Deletes an earlier invitation of this address to the caller's team, and counts the other open ones. One with the role owner
 * stays unless the caller is an owner.
 */
export async function replaceAndCountInvitations(
  q: Queries,
  email: string,
  now: Date,
): Promise<{ hasProtectedInvitation: boolean; openCount: number }> {
  const [, kept, counted] = await q.batch(
    {
      text: 'delete from invitations where team_id = own_team() and lower(email) = lower($1)',
      values: [email],
    },
    {
      text: 'select from invitations where team_id = own_team() and lower(email) = lower($1)',
      values: [email],
    },
    {
      text: 'select count(*)::int as count from invitations where team_id = own_team() and expires_at > $1',
      values: [now],
    },
  )
  return { hasProtectedInvitation: kept?.rows.length !== 0, openCount: counted?.rows[0]?.['count'] ?? 0 }
}

export interface NewInvitation {
  email: string
  role: Role
  access: GuestAccess
  websiteIds: readonly number[]
  pageIds: readonly number[]
  tokenHash: Buffer
  mailTokenHash: Buffer
  now: Date
  expiresAt: Date
}

/** The caller, if there is one, is the inviter. */
export async function insertInvitation(q: Queries, invitation: NewInvitation): Promise<number> {
  const { email, role, access, websiteIds, pageIds, tokenHash, mailTokenHash, now, expiresAt } = invitation
  const [row] = await q.query<{ id: number }>(
    `insert into invitations (team_id, email, role, guest_can_edit, website_ids, page_ids, token_hash, mail_token_hash, is_mailed,
                              invited_by, created_at, expires_at)
     values (own_team(), $1, $2, $3, $4::bigint[], $5::bigint[], $6, $7, false, own_user(), $8, $9)
     returning id`,
    [email, role, access === 'edit', websiteIds, pageIds, tokenHash, mailTokenHash, now, expiresAt],
  )
  return row?.id as number
}

export async function setInvitationMailed(q: Queries, id: number): Promise<void> {
  await q.query('update invitations set is_mailed = true where team_id = own_team() and id = $1', [id])
}

/** `protected`: only an owner can delete this invitation, because it grants the role owner. `missing`: the team has no such invitation. */
export async function deleteInvitation(q: Queries, id: number): Promise<'deleted' | 'protected' | 'missing'> {
  const [deleted, kept] = await q.batch(
    { text: 'delete from invitations where team_id = own_team() and id = $1 returning id', values: [id] },
    { text: 'select from invitations where team_id = own_team() and id = $1', values: [id] },
  )
  if (deleted?.rows.length !== 0) return 'deleted'
  return kept?.rows.length === 0 ? 'missing' : 'protected'
}

export interface FoundInvitation {
  team_name: string
  email: string
  role: Role
  invited_by: string | null
  expires_at: Date
  has_account: boolean
}

/** Finds an invitation by the hash of one of its tokens, for a person who holds the link. */
export async function findInvitation(q: Queries, tokenHash: Buffer, now: Date): Promise<FoundInvitation | undefined> {
  const [row] = await q.query<FoundInvitation & Record<string, unknown>>(
    `select t.name as team_name, i.email, i.role, inviter.email as invited_by, i.expires_at,
            exists (select from users u where lower(u.email) = lower(i.email)) as has_account
       from invitations i
       join teams t on t.id = i.team_id
       left join users inviter on inviter.id = i.invited_by
      where (i.token_hash = $1 or i.mail_token_hash = $1) and i.expires_at > $2
        and may_invite(i.invited_by, i.team_id, i.role)`,
    [tokenHash, now],
  )
  return row
}

export interface LockedInvitation {
  id: number
  team_id: number
  email: string
  role: Role
  guest_can_edit: boolean
  website_ids: number[]
  page_ids: number[]
  /** Whether the token is that of the link in the email. */
  is_from_mail: boolean
}

/** Of several simultaneous uses, the later ones wait here for the first one, and then find nothing. Call it in the transaction that adds the member. */
export async function lockInvitation(q: Queries, tokenHash: Buffer, now: Date): Promise<LockedInvitation | undefined> {
  const [row] = await q.query<LockedInvitation & Record<string, unknown>>(
    `select i.id, i.team_id, i.email, i.role, i.guest_can_edit, i.website_ids, i.page_ids,
            coalesce(i.mail_token_hash = $1, false) as is_from_mail
       from invitations i
      where (i.token_hash = $1 or i.mail_token_hash = $1) and i.expires_at > $2
        and may_invite(i.invited_by, i.team_id, i.role)
        for update`,
    [tokenHash, now],
  )
  return row
}

export interface InvitedUser {
  id: number
  email: string
  is_admin: boolean
  is_invited: boolean
}

/** Finds a user, and whether the address is theirs. */
export async function findInvitedUser(q: Queries, userId: number, email: string): Promise<InvitedUser | undefined> {
  const [row] = await q.query<InvitedUser & Record<string, unknown>>(
    'select id, email, is_admin, lower(email) = lower($2) as is_invited from users where id = $1',
    [userId, email],
  )
  return row
}

/**
 * Uses the invitation up and adds the user to the team. A member keeps their role; a guest also gets what the invitation shares. The
 * audit log says that the user did this.
 */
export async function joinTeam(q: Queries, userId: number, invitation: LockedInvitation, now: Date): Promise<void> {
  const { id, team_id: teamId, role, guest_can_edit: canEdit, website_ids: websiteIds, page_ids: pageIds } = invitation
  await actAsUser(q, userId)
  await q.batch(
    { text: 'delete from invitations where id = $1', values: [id] },
    {
      text: `insert into team_members (team_id, user_id, role, guest_can_edit, joined_at) values ($1, $2, $3, $4, $5)
             on conflict (team_id, user_id) do nothing`,
      values: [teamId, userId, role, canEdit, now],
    },
    {
      text: `insert into guest_websites (team_id, user_id, website_id)
             select m.team_id, m.user_id, w.id
               from team_members m join websites w on w.user_id = m.team_id and w.id = any ($3::bigint[])
              where m.team_id = $1 and m.user_id = $2 and m.role = 'guest'
             on conflict do nothing`,
      values: [teamId, userId, websiteIds],
    },
    {
      text: `insert into guest_status_pages (team_id, user_id, page_id)
             select m.team_id, m.user_id, p.id
               from team_members m join status_pages p on p.user_id = m.team_id and p.id = any ($3::bigint[])
              where m.team_id = $1 and m.user_id = $2 and m.role = 'guest'
             on conflict do nothing`,
      values: [teamId, userId, pageIds],
    },
  )
}

/** The session acts in the team that its user has just joined. */
export async function setSessionTeam(q: Queries, sessionId: number, teamId: number): Promise<void> {
  await q.query('update sessions set team_id = $2 where id = $1', [sessionId, teamId])
}

/** The same, for a session that has just started. */
export async function setNewSessionTeam(q: Queries, tokenHash: Buffer, teamId: number): Promise<void> {
  await q.query('update sessions set team_id = $2 where token_hash = $1', [tokenHash, teamId])
}

export async function deleteExpiredInvitations(q: Queries, now: Date): Promise<void> {
  await q.query('delete from invitations where expires_at <= $1', [now])
}
