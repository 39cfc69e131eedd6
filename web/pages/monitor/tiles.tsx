import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { CERTIFICATE_WARNING_DAYS } from '../../../src/shared/monitors.ts'
import { formatDate, formatDurationSeconds, formatUptimePercent, pluralize } from '../../lib/format.ts'
import { isWaitingForSignal, NO_SIGNAL_LABEL } from '../../lib/monitor-status.ts'
import { useServerNow } from '../../lib/server-clock.ts'
import { getUptimeWords } from './get-uptime-words.ts'
import { growDowntime } from './grow-downtime.ts'
import { windowLabels } from './labels.ts'
import { type IncidentWindow, incidentWindows, useChecks } from './queries.ts'
import { countDaysUntil } from './series.ts'
import { Tile } from './tile.tsx'

export function Tiles({ monitor }: { monitor: MonitorRecord }) {
  const { url, type, tls_expires_at, domain_expires_at, tls, domain } = monitor
  const mayHaveCertificate = tls_expires_at !== null || (type === 'http' && /^https:/i.test(url))
  return (
    <dl class="panel monitor-tiles">
      {type === 'domain' && (
        <ExpiryTile name="Domain" expiresAt={domain_expires_at} warnDays={getFirstWarningDay(domain?.warn_days)} />
      )}
      {type === 'tls' && (
        <ExpiryTile name="Certificate" expiresAt={tls_expires_at} warnDays={getFirstWarningDay(tls?.warn_days)} />
      )}
      {incidentWindows.map((window) => (
        <UptimeTile key={window} monitor={monitor} window={window} />
      ))}
      {mayHaveCertificate && type !== 'tls' && type !== 'traffic' && (
        <ExpiryTile name="Certificate" expiresAt={tls_expires_at} warnDays={CERTIFICATE_WARNING_DAYS} />
      )}
    </dl>
  )
}

function UptimeTile({ monitor, window }: { monitor: MonitorRecord; window: IncidentWindow }) {
  const { id, type, down_since } = monitor
  const { data, error } = useChecks(id, window)
  const now = useServerNow(down_since !== null)
  const words = getUptimeWords(type)
  const name = `${words.title}, last ${windowLabels[window]}`
  // A non-breaking space keeps the height while loading.
  if (data === undefined)
    return <Tile name={name} value={error ? '–' : '\u00a0'} note={error ? 'Unavailable' : '\u00a0'} />
  const { uptime_percent } = data.meta
  const downSeconds = growDowntime(data.meta, down_since, now)
  const note =
    uptime_percent === null
      ? isWaitingForSignal(monitor)
        ? NO_SIGNAL_LABEL
        : 'Not monitored'
      : downSeconds === 0
        ? words.noDowntime
        : words.downFor(formatDurationSeconds(downSeconds))
  return <Tile name={name} value={formatUptimePercent(uptime_percent)} note={note} />
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
