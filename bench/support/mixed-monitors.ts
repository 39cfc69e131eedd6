/** Monitors of all types, for the benchmark of checks. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { authorityCertificate } from '../../tests/checker/certificates.ts'
import { findFreePort, type StartedProcess, startProcess } from './processes.ts'

export interface MixedTargets extends Pick<StartedProcess, 'port' | 'stop'> {
  /** Environment variables that the Belfry server needs to check these targets. */
  env: Record<string, string>
}

export async function startMixedTargets(): Promise<MixedTargets> {
  const folder = await mkdtemp(join(tmpdir(), 'belfry-bench-ca-'))
  const certificateFile = join(folder, 'ca.pem')
  await writeFile(certificateFile, authorityCertificate)
  const { port, stop } = await startProcess(['bench/support/mixed-targets.ts'], await findFreePort())
  return {
    port,
    env: { NODE_EXTRA_CA_CERTS: certificateFile, BELFRY_RDAP_URL: `http://127.0.0.1:${port}/` },
    async stop() {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const http = {
  method: 'GET',
  body: null,
  expected_status: '200-399',
  keyword: null,
  keyword_absent: null,
  follow_redirects: true,
  verify_tls: true,
}

/** Monitors of one type: how many of each 100, and their settings. */
interface MixedType {
  type: string
  share: number
  url: string
  options: object | null
  intervalSeconds: number
}

/**
 * Most monitors have the type http, and there are some of each other type. There are few certificates and domains,
 * because they are normally checked every hour or day, and few pings, because each starts a process.
 */
function listMixedTypes(port: number, intervalSeconds: number): MixedType[] {
  const tcp = { send: 'GET / HTTP/1.0\r\n\r\n', expect: '200 OK' }
  const dns = { record: 'A', resolver: `127.0.0.1:${port}`, expected: ['203.0.113.7'], match: 'exact' }
  const tls = { warn_days: [30, 14, 7, 1], server_name: null }
  const heartbeat = { period: 86_400, cron: null, time_zone: null, grace: 300 }
  return [
    { type: 'http', share: 60, url: `http://127.0.0.1:${port}/`, options: null, intervalSeconds },
    { type: 'tcp', share: 13, url: `127.0.0.1:${port}`, options: tcp, intervalSeconds },
    { type: 'dns', share: 13, url: 'example.com', options: dns, intervalSeconds },
    { type: 'tls', share: 1, url: `127.0.0.1:${port + 1}`, options: tls, intervalSeconds },
    { type: 'ping', share: 1, url: '127.0.0.1', options: null, intervalSeconds },
    { type: 'domain', share: 1, url: 'example.com', options: { warn_days: [30] }, intervalSeconds: 3_600 },
    { type: 'heartbeat', share: 11, url: '', options: heartbeat, intervalSeconds: 60 },
  ]
}

const quote = (value: string) => `'${value.replaceAll("'", "''")}'`

export function createMixedInsertSql(port: number, intervalSeconds: number): string {
  const types = listMixedTypes(port, intervalSeconds)
  let slot = 0
  const rows = types.flatMap(({ type, share, url, options, intervalSeconds: seconds }) =>
    Array.from({ length: share }, () => {
      const settings = options === null ? 'null' : quote(JSON.stringify(options))
      return `(${slot++}, ${quote(type)}, ${quote(url)}, ${seconds}, ${settings}::jsonb)`
    }),
  )
  return `with mix (slot, type, url, interval_seconds, options) as (
      values ${rows.join(',\n        ')}
    ), inserted as (
      insert into monitors (user_id, friendly_name, url, type, interval_seconds, retries, retry_interval_seconds,
        remind_every_minutes, http, options, beat_token, beat_hash, status, status_changed_at, search_text, created_at,
        updated_at)
      select id, 'Shop ' || n, mix.url || case when mix.type = 'http' then n::text else '' end, mix.type,
             mix.interval_seconds, 2, 5, 0,
             case when mix.type = 'http' then ${quote(JSON.stringify(http))}::jsonb end, mix.options,
             case when mix.type = 'heartbeat' then '\\x00'::bytea end,
             case when mix.type = 'heartbeat' then sha256(convert_to('token-' || n, 'UTF8')) end,
             'pending', now(), 'shop ' || n, now(), now()
        from users, generate_series($2::int, $3::int) n join mix on mix.slot = n % 100
       where email = $1
      returning user_id, id
    )
    insert into monitor_states (user_id, monitor_id, due_at) select user_id, id, now() from inserted`
}
