import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { CERTIFICATE_WARNING_DAYS } from '../../../src/shared/monitors.ts'
import { formatDate, formatDurationSeconds, formatUptimePercent, pluralize } from '../../lib/format.ts'
import { isWaitingForSignal, NO_SIGNAL_LABEL } from '../../lib/monitor-status.ts'
import { useServerNow } from '../../lib/server-clock.ts'
import { formatSince, hasUptimePercent } from '../../lib/uptime-text.ts'
import { getUptimeWords } from './get-uptime-words.ts'
import { growDowntime } from './grow-downtime.ts'
import { windowLabels } from './labels.ts'
import type { IncidentWindow, UptimePeriod, useUptime } from './queries.ts'
import { listExpectedWindows, selectPeriods } from './select-periods.ts'
import { countDaysUntil } from './series.ts'
import { Tile } from './tile.tsx'

export function Tiles({ monitor, query }: UptimeTilesProps) {
  const { url, type, tls_expires_at, domain_expires_at, tls, domain } = monitor
  // A sample monitor shows no certificate, because a generated expiry date would pass some day.
  const mayHaveCertificate =
    !monitor.is_sample && (tls_expires_at !== null || (type === 'http' && /^https:/i.test(url)))
  return (
    <dl class="panel monitor-tiles">
      {type === 'domain' && (
        <ExpiryTile name="Domain" expiresAt={domain_expires_at} warnDays={getFirstWarningDay(domain?.warn_days)} />
      )}
      {type === 'tls' && (
        <ExpiryTile name="Certificate" expiresAt={tls_expires_at} warnDays={getFirstWarningDay(tls?.warn_days)} />
      )}
      <UptimeTiles monitor={monitor} query={query} />
      {mayHaveCertificate && type !== 'tls' && type !== 'traffic' && (
        <ExpiryTile name="Certificate" expiresAt={tls_expires_at} warnDays={CERTIFICATE_WARNING_DAYS} />
      )}
    </dl>
  )
}

interface UptimeTilesProps {
  monitor: MonitorRecord
  query: ReturnType<typeof useUptime>
}

function UptimeTiles({ monitor, query: { data, error } }: UptimeTilesProps) {
  const { title } = getUptimeWords(monitor.type)
  if (data !== undefined) {
    return selectPeriods(data, monitor.created_at).map((period) => (
      <UptimeTile key={period.period} monitor={monitor} period={period} to={data.to} />
    ))
  }
  // A non-breaking space keeps the height while loading.
  const [value, note] = error ? ['–', 'Unavailable'] : ['\u00a0', '\u00a0']
  return listExpectedWindows(monitor.created_at, new Date()).map((window) => (
    <Tile key={window} name={`${title}, last ${windowLabels[window]}`} value={value} note={note} />
  ))
}

interface UptimeTileProps {
  monitor: MonitorRecord
  period: UptimePeriod & { period: IncidentWindow }
  to: string
}

function UptimeTile({ monitor, period, to }: UptimeTileProps) {
  const { type, down_since, in_maintenance } = monitor
  const now = useServerNow(down_since !== null)
  const words = getUptimeWords(type)
  const { uptime_percent, monitored_since, incidents } = period
  const name =
    monitored_since === null
      ? `${words.title}, last ${windowLabels[period.period]}`
      : `${words.title} since ${formatSince(monitored_since)}`
  // Downtime during a maintenance doesn't count.
  const downSeconds = growDowntime({ ...period, to }, in_maintenance ? null : down_since, now)
  const note = downSeconds === 0 ? words.noDowntime : words.downFor(formatDurationSeconds(downSeconds))
  if (uptime_percent === null) {
    return <Tile name={name} value="–" note={isWaitingForSignal(monitor) ? NO_SIGNAL_LABEL : 'Not monitored'} />
  }
  if (hasUptimePercent(period)) return <Tile name={name} value={formatUptimePercent(uptime_percent)} note={note} />
  const value = incidents === 0 ? 'No incidents' : pluralize(incidents, 'incident')
  return <Tile name={name} value={value} note={incidents === 0 ? 'Percentage shown after one day' : note} />
}

const getFirstWarningDay = (days: readonly number[] | undefined) => Math.max(0, ...(days ?? []))

interface ExpiryTileProps {
  name: string
  expiresAt: string | null
  /** If fewer days are left, the tile asks for a renewal. */
  warnDays: number
}

function ExpiryTile({ name, expiresAt, warnDays }: ExpiryTileProps) {
  if (expiresAt === null) return <Tile name={name} value="–" note="Not checked yet" />
  const days = countDaysUntil(expiresAt)
  if (days < 0) return <Tile name={name} value="Expired" note={`Since ${formatDate(expiresAt)}`} tone="bad" />
  return (
    <Tile
      name={name}
      value={pluralize(days, 'day')}
      note={`${days < warnDays ? 'Renew soon: expires' : 'Expires'} ${formatDate(expiresAt)}`}
      {...(days < warnDays && { tone: 'warn' as const })}
    />
  )
}
