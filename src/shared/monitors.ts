/** What the server and the pages both know about monitors. */
export const monitorTypes = ['http', 'ping'] as const
export type MonitorType = (typeof monitorTypes)[number]

export const monitorStatuses = ['pending', 'up', 'down', 'paused'] as const
export type MonitorStatus = (typeof monitorStatuses)[number]

/** Days of uptime that the overview returns for each monitor. */
export const UPTIME_DAYS = 90
