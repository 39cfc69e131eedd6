/**
 * Converts monitors between database rows, settings and API records. Of the HTTP headers, rows contain the encrypted
 * values, settings contain the plain values, and records contain only hints: the last four characters of each value.
 */

import { createHeaderHints } from '../lib/http-headers.ts'
import type { Secret } from '../lib/secret.ts'
import { foldCase } from '../lib/text.ts'
import { hashToken, randomToken } from '../lib/token.ts'
import { toTagKeys } from '../tags/tags.ts'
import { defaultHttpSettings } from './http-schema.ts'
import { hasOptions } from './options.ts'
import type { MonitorRecord } from './schema.ts'
import { type MonitorSettings, resolveTimeoutSeconds } from './settings.ts'
import type { BeatTokenColumns, MonitorColumns, MonitorRow } from './store.ts'

export function toMonitorColumns(settings: MonitorSettings, ownerId: number, secret: Secret): MonitorColumns {
  const { headers = {}, ...http } = settings.http ?? {}
  const hasHeaders = Object.keys(headers).length > 0
  return {
    friendly_name: settings.friendlyName,
    url: settings.url,
    type: settings.type,
    interval_seconds: settings.interval,
    timeout_seconds: settings.timeout,
    retries: settings.retries,
    retry_interval_seconds: settings.retryInterval,
    remind_every_minutes: settings.remindEvery,
    http: settings.http && (http as MonitorColumns['http']),
    http_headers: hasHeaders ? secret.seal('monitor headers', ownerId, JSON.stringify(headers)) : null,
    options: hasOptions(settings.type) ? (settings.options[settings.type] ?? null) : null,
    tags: settings.tags,
    tag_keys: toTagKeys(settings.tags),
    depends_on: settings.dependsOn,
  }
}

export const noBeatToken: BeatTokenColumns = { beat_token: null, beat_hash: null }

/** Only a heartbeat has a token. It keeps the token for as long as it is a heartbeat. */
export function toBeatToken(
  { type }: MonitorSettings,
  ownerId: number,
  secret: Secret,
  current: BeatTokenColumns = noBeatToken,
): BeatTokenColumns {
  if (type !== 'heartbeat') return noBeatToken
  const { beat_token, beat_hash } = current
  if (beat_token !== null) return { beat_token, beat_hash }
  const token = randomToken()
  return { beat_token: secret.seal('beat token', ownerId, token), beat_hash: hashToken(token) }
}

export function toSearchText({ friendlyName, url }: MonitorSettings): string {
  return foldCase(`${friendlyName}\n${url}`)
}

export function toMonitorSettings(row: MonitorColumns & { user_id: number }, secret: Secret): MonitorSettings {
  const { http_headers: encryptedHeaders } = row
  const headers =
    encryptedHeaders === null ? {} : JSON.parse(secret.unseal('monitor headers', row.user_id, encryptedHeaders))
  return {
    friendlyName: row.friendly_name,
    url: row.url,
    type: row.type,
    interval: row.interval_seconds,
    timeout: row.timeout_seconds,
    retries: row.retries,
    retryInterval: row.retry_interval_seconds,
    remindEvery: row.remind_every_minutes,
    tags: row.tags,
    dependsOn: row.depends_on,
    // Rows of earlier versions lack the newer settings, which then have their default values.
    http: row.http && { ...defaultHttpSettings, ...row.http, headers },
    options: row.options === null ? {} : { [row.type]: row.options },
  }
}

export interface RecordContext {
  secret: Secret
  /** The URL of this server, for the URLs of heartbeats. */
  baseUrl: string
  /** Anyone who knows the token of a heartbeat can send beats, so only callers that may change monitors see it. */
  showsBeatToken: boolean
  now: Date
}

/** The last segment of a heartbeat's URL, for callers that must not know its token. */
export const createTokenHint = (token: string) => `…${token.slice(-4)}`

export function toMonitorRecord(row: MonitorRow, context: RecordContext): MonitorRecord {
  const { secret, baseUrl, showsBeatToken, now } = context
  const settings = toMonitorSettings(row, secret)
  const { http, options } = settings
  const expiresAt = row.tls_expires_at?.toISOString() ?? null
  const token = row.beat_token === null ? undefined : secret.unseal('beat token', row.user_id, row.beat_token)
  return {
    id: row.id,
    friendly_name: settings.friendlyName,
    url: token === undefined ? settings.url : `${baseUrl}/beat/${showsBeatToken ? token : createTokenHint(token)}`,
    type: settings.type,
    watched_website_id: row.website_id,
    interval: settings.interval,
    is_active: row.status !== 'paused',
    status: row.status,
    timeout: resolveTimeoutSeconds(settings),
    retries: settings.retries,
    retry_interval: settings.retryInterval,
    remind_every: settings.remindEvery,
    tags: settings.tags,
    depends_on: settings.dependsOn,
    in_maintenance: row.maintenance_until !== null && row.maintenance_until > now,
    http: http && {
      method: http.method,
      headers: createHeaderHints(http.headers),
      body: http.body,
      expected_status: http.expected_status,
      keyword: http.keyword,
      keyword_absent: http.keyword_absent,
      follow_redirects: http.follow_redirects,
      verify_tls: http.verify_tls,
      json: http.json,
      max_response_ms: http.max_response_ms,
    },
    tcp: options.tcp ?? null,
    dns: options.dns ?? null,
    tls: options.tls ?? null,
    domain: options.domain ?? null,
    heartbeat: options.heartbeat ?? null,
    tls_expires_at: row.type === 'domain' ? null : expiresAt,
    domain_expires_at: row.type === 'domain' ? expiresAt : null,
    last_checked_at: row.last_checked_at?.toISOString() ?? null,
    last_response_ms: row.last_response_ms,
    last_error: row.last_error,
    status_changed_at: row.status_changed_at.toISOString(),
    down_since: row.down_since?.toISOString() ?? null,
    is_sample: row.is_sample,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
