/** SQL for teams and their members. Row level security decides which of them the caller can see and change. */
import pg from 'pg'
import { Problem } from '../lib/problem.ts'
import type { Role } from '../shared/roles.ts'
import type { Queries } from '../storage/transaction.ts'

export interface TeamRow {
  id: number
  name: string
  role: Role
  requires_second_factor: boolean
  created_at: Date
}

const teamColumns = 't.id, t.name, m.role, t.requires_second_factor, t.created_at'

/** Lists the teams of the caller, whichever they act in: first their own, then the others by name. */
export async function listTeams(q: Queries): Promise<TeamRow[]> {
  return q.query<TeamRow & Record<string, unknown>>(
    `select ${teamColumns}
       from team_members m
       join teams t on t.id = m.team_id
      where m.user_id = own_user()
      order by t.id <> m.user_id, lower(t.name), t.id`,
  )
}

export interface TeamChoiceRow {
  id: number
  name: string
  role: Role
  guest_can_edit: boolean
  needs_second_factor: boolean
}

/** Lists the teams of the caller as the pages offer them: first their own, then the others by name. */
export async function listTeamChoices(q: Queries, sessionId: number): Promise<TeamChoiceRow[]> {
  return q.query<TeamChoiceRow & Record<string, unknown>>(
    `select t.id, t.name, m.role, m.guest_can_edit, t.requires_second_factor and not s.is_strong as needs_second_factor
       from team_members m
       join teams t on t.id = m.team_id
       join sessions s on s.id = $1
      where m.user_id = own_user()
      order by t.id <> m.user_id, lower(t.name), t.id`,
    [sessionId],
  )
}

/** Finds a team of the caller. */
export async function findTeam(q: Queries, id: number): Promise<TeamRow | undefined> {
  const [row] = await q.query<TeamRow & Record<string, unknown>>(
    `select ${teamColumns} from team_members m join teams t on t.id = m.team_id where m.user_id = own_user() and t.id = $1`,
    [id],
  )
  return row
}

/** Locks the caller's account, so that concurrent calls can't exceed a limit. Returns how many teams the caller owns. */
export async function lockUserAndCountOwnedTeams(q: Queries): Promise<number> {
  const [, counted] = await q.batch(
    { text: 'select from users where id = own_user() for no key update' },
    { text: `select count(*)::int as count from team_members where user_id = own_user() and role = 'owner'` },
  )
  return counted?.rows[0]?.['count'] ?? 0
}

/** The caller becomes the owner. */
export async function insertTeam(q: Queries, name: string): Promise<number> {
  return (await q.query<{ id: number }>('select found_team(own_user(), $1) as id', [name]))[0]?.id as number
}

export async function updateTeamName(q: Queries, name: string): Promise<void> {
  await q.query('update teams set name = $1 where id = acting_team()', [name])
}

export async function updateSecondFactorRequirement(q: Queries, isRequired: boolean): Promise<void> {
  await q.query('update teams set requires_second_factor = $1 where id = acting_team()', [isRequired])
}

/** Whether the caller has proved a second factor in this session, or came through single sign-on. */
export async function isStrongSession(q: Queries, sessionId: number): Promise<boolean> {
  const [row] = await q.query('select is_strong from sessions where user_id = own_user() and id = $1', [sessionId])
  return row?.['is_strong'] === true
}

export interface TeamContents {
  members: number
  websites: number
  monitors: number
  providers: number
  status_pages: number
}

/** Locks the team, so that nobody joins it or creates something in it until the transaction ends. */
export async function lockAndCountContents(q: Queries): Promise<TeamContents> {
  const count = (table: string, column = 'user_id') =>
    `(select count(*)::int from ${table} where ${column} = acting_team()) as ${table === 'team_members' ? 'members' : table}`
  const [, counted] = await q.batch(
    { text: 'select from teams where id = acting_team() for update' },
    {
      text: `select ${count('team_members', 'team_id')}, ${count('websites')}, ${count('monitors')}, ${count('providers')},
                    ${count('status_pages')}`,
    },
  )
  return counted?.rows[0] as unknown as TeamContents
}

export async function deleteActingTeam(q: Queries): Promise<void> {
  await q.query('delete from teams where id = acting_team()')
}

/** Returns false if the caller is not a member of the team. */
export async function chooseTeam(q: Queries, sessionId: number, teamId: number): Promise<boolean> {
  const rows = await q.query(
    `update sessions s set team_id = m.team_id
       from team_members m
      where s.id = $1 and s.user_id = own_user() and m.user_id = s.user_id and m.team_id = $2
     returning s.id`,
    [sessionId, teamId],
  )
  return rows.length > 0
}

export interface MemberRow {
  user_id: number
  email: string
  role: Role
  guest_can_edit: boolean
  website_ids: number[] | null
  status_page_ids: number[] | null
  joined_at: Date
}

/** Lists the members of the caller's team, from most to least rights. A guest gets nothing. */
export async function listMembers(q: Queries, userId?: number): Promise<MemberRow[]> {
  return q.query<MemberRow & Record<string, unknown>>('select * from list_members($1)', [userId ?? null])
}

/** Returns false if the team has no such member, or if the caller may not change them. Call it in a transaction, which holds the lock. */
export async function lockMember(q: Queries, userId: number): Promise<boolean> {
  const rows = await q.query('select from team_members where team_id = acting_team() and user_id = $1 for update', [
    userId,
  ])
  return rows.length > 0
}

/** Returns false if the team has no such member, or if the caller may not change them. */
export async function updateMemberRole(
  q: Queries,
  userId: number,
  role: Role,
  guestCanEdit: boolean,
): Promise<boolean> {
  const rows = await guardOwners(
    q.query(
      `update team_members set role = $2, guest_can_edit = $3 where team_id = acting_team() and user_id = $1 returning user_id`,
      [userId, role, guestCanEdit],
    ),
  )
  return rows.length > 0
}

/** Replaces what is shared with a guest. Websites and status pages of other teams are left out. */
export async function replaceShares(
  q: Queries,
  userId: number,
  { websiteIds, pageIds }: { websiteIds: readonly number[] | undefined; pageIds: readonly number[] | undefined },
): Promise<void> {
  if (websiteIds !== undefined) {
    await q.batch(
      { text: 'delete from guest_websites where team_id = acting_team() and user_id = $1', values: [userId] },
      {
        text: `insert into guest_websites (team_id, user_id, website_id)
               select w.user_id, $1, w.id from websites w where w.user_id = acting_team() and w.id = any ($2::bigint[])`,
        values: [userId, websiteIds],
      },
    )
  }
  if (pageIds !== undefined) {
    await q.batch(
      { text: 'delete from guest_status_pages where team_id = acting_team() and user_id = $1', values: [userId] },
      {
        text: `insert into guest_status_pages (team_id, user_id, page_id)
               select p.user_id, $1, p.id from status_pages p where p.user_id = acting_team() and p.id = any ($2::bigint[])`,
        values: [userId, pageIds],
      },
    )
  }
}

/** Lists those of the ids that are not websites, or status pages, of the caller's team. */
export async function findUnknownShares(
  q: Queries,
  { websiteIds, pageIds }: { websiteIds: readonly number[]; pageIds: readonly number[] },
): Promise<{ websiteIds: number[]; pageIds: number[] }> {
  const selectUnknown = (source: string, ids: readonly number[]) => ({
    text: `select wanted.id from unnest($1::bigint[]) as wanted (id)
            where not exists (select from ${source} s where s.user_id = acting_team() and s.id = wanted.id)`,
    values: [ids],
  })
  const [websites, pages] = await q.batch(selectUnknown('websites', websiteIds), selectUnknown('status_pages', pageIds))
  return {
    websiteIds: websites?.rows.map((row) => row['id']) ?? [],
    pageIds: pages?.rows.map((row) => row['id']) ?? [],
  }
}

export async function deleteMember(q: Queries, teamId: number, userId: number): Promise<boolean> {
  const rows = await guardOwners(
    q.query('delete from team_members where team_id = $1 and user_id = $2 returning user_id', [teamId, userId]),
  )
  return rows.length > 0
}

const INSUFFICIENT_PRIVILEGE = '42501'

/** Turns the errors of the trigger `guard_members` into problems. */
export async function guardOwners<T>(change: Promise<T>): Promise<T> {
  try {
    return await change
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error
    if (error.constraint === 'teams_owner_check') {
      throw new Problem('conflict', 'A team needs an owner. Appoint another owner first.', { cause: error })
    }
    if (error.code === INSUFFICIENT_PRIVILEGE) {
      throw new Problem('forbidden', 'Only owners can appoint, change and remove owners.', { cause: error })
    }
    throw error
  }
}
