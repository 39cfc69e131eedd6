/**
 * The baseline for the API: `GET /api/keys`, written the usual way with Fastify and a `pg` pool. Each request runs a transaction that
 * sets the user and their team, and sends the same query as Belfry. Each statement waits for the one before it. So the baseline returns
 * the same rows through the same row level security. Unlike Belfry, it neither authenticates the caller nor limits requests.
 */
import Fastify from 'fastify'
import { openUsualPool } from './usual-pool.ts'

const { PORT, USUAL_DATA = '', USUAL_ROLE = '', USUAL_USER_ID, USUAL_SQL = '' } = process.env
const pool = openUsualPool(USUAL_DATA, { role: USUAL_ROLE, search_path: 'belfry,public', timezone: 'UTC' })

/** Leaves out the fields that Belfry leaves out if they are null. */
function toKey(row: Record<string, unknown>): Record<string, unknown> {
  const {
    'expires_at?': expiresAt,
    'allowed_ips?': allowedIps,
    'last_used_ip?': lastUsedIp,
    'user_email?': userEmail,
    ...key
  } = row
  if (expiresAt !== null) key['expires_at'] = expiresAt
  if (allowedIps !== null) key['allowed_ips'] = allowedIps
  if (lastUsedIp !== null) key['last_used_ip'] = lastUsedIp
  if (userEmail !== null) key['user_email'] = userEmail
  return key
}

const app = Fastify()
app.get('/api/keys', async () => {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query(
      `select set_config('belfry.user_id', $1, true), set_config('belfry.team_id', $1, true), set_config('belfry.role', 'owner', true)`,
      [USUAL_USER_ID],
    )
    const { rows } = await client.query(USUAL_SQL, [USUAL_USER_ID])
    await client.query('commit')
    return { data: rows.map(toKey), meta: { total: rows.length } }
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    client.release()
  }
})
app.get('/readyz', () => ({ status: 'ok' }))
await app.listen({ port: Number(PORT), host: '127.0.0.1' })
process.on('SIGTERM', () => process.exit(0))
