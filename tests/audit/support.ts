/** Reads the audit log from its table. */
import type { AuditRow } from '../../src/audit/store.ts'
import type { Role } from '../../src/shared/roles.ts'
import type { Client } from '../support/client.ts'
import type { TestServer, TestUser } from '../support/server.ts'

export type StoredEntry = AuditRow & { team_id: number }

/** Returns the entries that `work` adds, oldest first. */
export async function recordEntries({ services }: TestServer, work: () => Promise<unknown>): Promise<StoredEntry[]> {
  const [last] = await services.db.query<{ id: number }>('select coalesce(max(id), 0) as id from audit_log')
  await work()
  return services.db.query<StoredEntry & Record<string, unknown>>('select * from audit_log where id > $1 order by id', [
    last?.id,
  ])
}

/** Sends a request, which must succeed. Returns `data` of the response and the entries that the request added. */
export async function recordRequest(server: TestServer, client: Client, method: string, path: string, json?: unknown) {
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses without types
  let data: any
  let requestId: string | null = null
  const entries = await recordEntries(server, async () => {
    const response = await client.call(method, path, { ...(json !== undefined && { json }) })
    if (response.status > 299) throw new Error(`${method} ${path} → ${response.status} ${response.text}`)
    data = response.body.data
    requestId = response.headers.get('x-request-id')
  })
  return { data, entries, requestId }
}

/** What changed, without when, where and who. */
export const toChange = ({ action, object_name, before, after }: AuditRow) => ({ action, object_name, before, after })

export const toActor = ({ actor_kind, actor_id, actor_name }: AuditRow) => [actor_kind, actor_id, actor_name]

export async function addMember({ services }: TestServer, teamId: number, userId: number, role: Role): Promise<void> {
  const sql = 'insert into team_members (team_id, user_id, role, joined_at) values ($1, $2, $3, now())'
  await services.db.query(sql, [teamId, userId, role])
}

/** Makes the session of a user act in a team. */
export async function chooseTeam({ session }: TestUser, teamId: number): Promise<void> {
  const { status, text } = await session.put('/api/session', { team_id: teamId })
  if (status !== 200) throw new Error(text)
}
