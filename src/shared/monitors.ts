/** Values and limits of monitors that both the server and the pages use. */
import { MINUTE_MS } from './time.ts'

export const creatableMonitorTypes = ['http', 'ping', 'tcp', 'dns', 'tls', 'domain', 'heartbeat'] as const
/**
 * Users can't create monitors of type `traffic`. Belfry creates one for a website when its owner turns on a traffic
 * alert.
 */
export const monitorTypes = [...creatableMonitorTypes, 'traffic'] as const
export type CreatableMonitorType = (typeof creatableMonitorTypes)[number]
export type MonitorType = (typeof monitorTypes)[number]

export const monitorStatuses = ['pending', 'up', 'down', 'paused'] as const
export type MonitorStatus = (typeof monitorStatuses)[number]

export const httpMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
export type HttpMethod = (typeof httpMethods)[number]

export const monitorDefaults = {
  type: 'http',
  is_active: true,
  retries: 2,
  retry_interval: 5,
  remind_every: 0,
} as const

export const httpDefaults = {
  method: 'GET',
  expected_status: '200-399',
  follow_redirects: true,
  verify_tls: true,
} as const

/** Seconds between two checks, if the request sends no `interval`. Heartbeats use `period` or `cron` instead. */
export const defaultIntervals: Record<MonitorType, number> = {
  http: 60,
  ping: 60,
  tcp: 60,
  dns: 60,
  tls: 3_600,
  domain: 86_400,
  heartbeat: 60,
  traffic: 60,
}
/** Registries limit how often they can be asked, and an expiry date rarely changes. */
export const MIN_DOMAIN_INTERVAL_SECONDS = 3_600

export const dnsRecordTypes = ['A', 'AAAA', 'CNAME', 'MX', 'NS', 'TXT', 'SOA', 'CAA', 'SRV', 'PTR'] as const
export type DnsRecordType = (typeof dnsRecordTypes)[number]
/**
 * How the DNS records must match the expected records: contain any of them, contain all of them, or be exactly the
 * same.
 */
export const dnsMatches = ['any', 'all', 'exact'] as const
export const MAX_EXPECTED_RECORDS = 50
export const MAX_EXPECTED_RECORD_LENGTH = 1_000

/** For each of these numbers, an alert is sent that many days before a certificate or domain expires. */
export const DEFAULT_WARN_DAYS: readonly number[] = [30, 14, 7, 1]
/** How many alerts before the expiry a monitor can have. */
export const MAX_WARN_DAYS = 10
/** An alert can be sent at most this many days before the expiry. */
export const MAX_WARN_DAY = 365

/** The port of a monitor of type tls, if its target names none. */
export const DEFAULT_TLS_PORT = 443

export const MAX_TCP_TEXT_LENGTH = 1_000

export const jsonOperators = ['equals', 'not_equals', 'contains', 'gt', 'gte', 'lt', 'lte', 'exists'] as const
export type JsonOperator = (typeof jsonOperators)[number]
export const MAX_JSON_ASSERTIONS = 10
export const MAX_JSON_PATH_LENGTH = 500
export const MAX_JSON_VALUE_LENGTH = 1_000
export const MAX_RESPONSE_LIMIT_MS = 60_000

/** Limits of the time between two beats of a heartbeat. */
export const MIN_PERIOD_SECONDS = 10
export const MAX_PERIOD_SECONDS = 31_536_000
export const MAX_GRACE_SECONDS = 2_592_000
export const DEFAULT_GRACE_SECONDS = 300
export const MAX_CRON_LENGTH = 100
/** How much of the output of a run is kept. */
export const MAX_OUTPUT_BYTES = 10_000
/** How many beats of a heartbeat are kept and listed. */
export const MAX_LISTED_BEATS = 100

/** Lengths of fields, in characters. */
export const MAX_MONITOR_NAME_LENGTH = 100
export const MAX_MONITOR_URL_LENGTH = 2_048
export const MAX_EXPECTED_STATUS_LENGTH = 200
export const MAX_KEYWORD_LENGTH = 1_000
export const MAX_REQUEST_BODY_LENGTH = 65_536

/** Limits of the time between two checks. */
export const MIN_INTERVAL_SECONDS = 5
export const MAX_INTERVAL_SECONDS = 86_400

export const MIN_TIMEOUT_SECONDS = 1
export const MAX_TIMEOUT_SECONDS = 60
/** If a monitor's interval is shorter than this, its default timeout is the interval. */
export const DEFAULT_TIMEOUT_SECONDS = 10

/** Retries are checks that follow a failed check. An incident opens only if all of them fail, too. */
export const MAX_RETRIES = 10
export const MIN_RETRY_INTERVAL_SECONDS = 1
export const MAX_RETRY_INTERVAL_SECONDS = 3_600

/** The longest time between two reminders of an ongoing incident. */
export const MAX_REMINDER_MINUTES = 1_440

export const MAX_REQUEST_HEADERS = 50
export const MAX_REDIRECTS = 5

/** For type http: the first alert is sent this many days before a certificate expires. More follow closer to the date. */
export const CERTIFICATE_WARNING_DAYS = 14
export const HTTP_WARN_DAYS: readonly number[] = [CERTIFICATE_WARNING_DAYS, 7, 1]

/** How many days of uptime the overview returns for each monitor. */
export const UPTIME_DAYS = 90

/** A new monitor has too few hours for a line, so its response times are averages of steps of this length. */
export const RECENT_RESPONSE_STEP_MS = 5 * MINUTE_MS
