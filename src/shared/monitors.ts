/** Values and limits of monitors that both the server and the pages use. */
export const monitorTypes = ['http', 'ping'] as const
export type MonitorType = (typeof monitorTypes)[number]

export const monitorStatuses = ['pending', 'up', 'down', 'paused'] as const
export type MonitorStatus = (typeof monitorStatuses)[number]

export const httpMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
export type HttpMethod = (typeof httpMethods)[number]

export const monitorDefaults = {
  type: 'http',
  interval: 60,
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

/** Lengths of fields, in characters. */
export const MAX_MONITOR_NAME_LENGTH = 100
export const MAX_MONITOR_URL_LENGTH = 2_048
export const MAX_EXPECTED_STATUS_LENGTH = 200
export const MAX_KEYWORD_LENGTH = 1_000
export const MAX_REQUEST_BODY_LENGTH = 65_536

/** Time between two checks. */
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

/** Time between two reminders of an ongoing incident. */
export const MAX_REMINDER_MINUTES = 1_440

export const MAX_REQUEST_HEADERS = 50
export const MAX_REDIRECTS = 5

/** The first warning is sent this many days before a certificate expires. More follow closer to the date. */
export const CERTIFICATE_WARNING_DAYS = 14

/** How many days of uptime the overview returns for each monitor. */
export const UPTIME_DAYS = 90
