/** SQL for API keys. */
import pg from 'pg'
import { Problem } from '../lib/problem.ts'
import type { CallerRole } from '../shared/roles.ts'
import type { Scope } from '../shared/scopes.ts'
import type { Queries } from '../storage/transaction.ts'

export interface KeyRow {
  id: number
  name: string
  scopes: Scope[]
  prefix: string
  created_by_key: number | null
  created_at: Date
  last_used_at: Date | null
  expires_at?: Date
  allowed_ips?: string[]
  last_used_ip?: string
  /** Set if the key belongs to another member of the team. */
  user_email?: string
}

const columns = `id, name, scopes, prefix, created_by_key, created_at, last_used_at, expires_at as "expires_at?",
  allowed_ips as "allowed_ips?", last_used_ip as "last_used_ip?"`

/** The value is a parameter, because PostgreSQL would evaluate `own_user()` for every key. */
const emailColumn = (userIdParameter: string) =>
  `case when user_id <> ${userIdParameter} then member_email(user_id) end as "user_email?"`

/** Row level security limits these keys further: other members see only their own. */
const TEAM_KEYS = 'team_id = acting_team()'

export async function insertKey(
  q: Queries,
  key: {
    teamId: number
    userId: number
    name: string
    scopes: readonly Scope[]
    prefix: string
    hash: Buffer
    createdByKey: number | null
    expiresAt: Date | null
    allowedIps: readonly string[] | null
    now: Date
  },
): Promise<KeyRow> {
  try {
    const [row] = await q.query<KeyRow>(
      `insert into api_keys (team_id, user_id, name, scopes, prefix, key_hash, created_by_key, created_at, expires_at, allowed_ips)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning ${columns}`,
      [
        key.teamId,
        key.userId,
        key.name,
        key.scopes,
        key.prefix,
        key.hash,
        key.createdByKey,
        key.now,
        key.expiresAt,
        key.allowedIps,
      ],
    )
    return row as KeyRow
  } catch (error) {
    // The calling key was revoked while this request ran, so it must not create another key.
    if (error instanceof pg.DatabaseError && error.constraint === 'api_keys_created_by_key_fkey') {
      throw new Problem('unauthenticated', 'The API key has been revoked.', { cause: error })
    }
    if (error instanceof pg.DatabaseError && error.constraint === 'api_keys_member_fkey') {
      throw new Problem('conflict', 'Your role in the team has just changed. Try again.', { cause: error })
    }
    throw error
  }
}

/** Returns JSON text rather than rows, which makes the most frequent request about keys faster. */
export async function listKeys(q: Queries, userId: number): Promise<{ json: string; count: number }> {
  const [result] = await q.batch({
    text: `select ${columns}, ${emailColumn('$1')} from api_keys where ${TEAM_KEYS} order by id desc`,
    values: [userId],
    asJson: true,
  })
  return result ?? { json: '', count: 0 }
}

export async function countKeys(q: Queries): Promise<number> {
  return (await q.query(`select count(*) as total from api_keys where ${TEAM_KEYS}`))[0]?.['total']
}

export async function findKey(q: Queries, id: number, userId: number): Promise<KeyRow | undefined> {
  const text = `select ${columns}, ${emailColumn('$2')} from api_keys where ${TEAM_KEYS} and id = $1`
  return (await q.query<KeyRow>(text, [id, userId]))[0]
}

export async function lockKey(q: Queries, id: number): Promise<KeyRow | undefined> {
  return (await q.query<KeyRow>(`select ${columns} from api_keys where ${TEAM_KEYS} and id = $1 for update`, [id]))[0]
}

interface FoundKey {
  id: number
  team_id: number
  user_id: number
  scopes: Scope[]
  expires_at: Date | null
  allowed_ips: string[] | null
  role: CallerRole
}

/** Searches the keys of all users. */
export async function findKeyByHash(q: Queries, hash: Buffer) {
  const rows = await q.query<FoundKey & Record<string, unknown>>(
    'select id, team_id, user_id, scopes, expires_at, allowed_ips, role from api_keys where key_hash = $1',
    [hash],
  )
  return rows[0]
}

export async function deleteKeyWithDescendants(q: Queries, id: number): Promise<void> {
  await q.query(
    `with recursive descendants as (
       select id from api_keys where ${TEAM_KEYS} and id = $1
       union
       select k.id from api_keys k join descendants d on k.created_by_key = d.id where k.${TEAM_KEYS}
     )
     delete from api_keys where ${TEAM_KEYS} and id in (select id from descendants)`,
    [id],
  )
}

/** The key's children become children of its parent, so that revoking the parent still revokes them. */
export async function deleteKeyOnly(q: Queries, key: Pick<KeyRow, 'id' | 'created_by_key'>): Promise<void> {
  await q.query(`update api_keys set created_by_key = $2 where ${TEAM_KEYS} and created_by_key = $1`, [
    key.id,
    key.created_by_key,
  ])
  await q.query(`delete from api_keys where ${TEAM_KEYS} and id = $1`, [key.id])
}

/** When and from which IP address a key was used last. */
export interface KeyUse {
  at: Date
  ip: string
}

export async function updateLastUses(q: Queries, uses: ReadonlyMap<number, KeyUse>): Promise<void> {
  await q.query(
    `update api_keys k set last_used_at = used.at, last_used_ip = used.ip
       from unnest($1::bigint[], $2::timestamptz[], $3::text[]) as used (id, at, ip)
      where k.id = used.id and (k.last_used_at is null or k.last_used_at < used.at)`,
    [[...uses.keys()], [...uses.values()].map(({ at }) => at), [...uses.values()].map(({ ip }) => ip)],
  )
}
