import type { ComponentChildren } from 'preact'
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { CERTIFICATE_WARNING_DAYS } from '../../../src/shared/monitors.ts'
import { formatDate, formatDurationSeconds, formatUptimePercent, pluralize } from '../../lib/format.ts'
import { useServerNow } from '../../lib/server-clock.ts'
import { growDowntime } from './downtime.ts'
import { windowLabels } from './labels.ts'
import { type IncidentWindow, incidentWindows, useChecks } from './queries.ts'
import { countDaysUntil } from './series.ts'

export function Tiles({ monitor }: { monitor: MonitorRecord }) {
  const { url, type, tls_expires_at } = monitor
  const hasCertificate = tls_expires_at !== null || (type === 'http' && /^https:/i.test(url))
  return (
    <dl class="panel monitor-tiles">
      {incidentWindows.map((window) => (
        <UptimeTile key={window} monitor={monitor} window={window} />
      ))}
      {hasCertificate && <CertificateTile expiresAt={tls_expires_at} />}
    </dl>
  )
}

interface TileProps {
  name: string
  value: ComponentChildren
  note: ComponentChildren
  tone?: 'warn' | 'bad'
}

function Tile({ name, value, note, tone }: TileProps) {
  return (
    <div class={`monitor-tile${tone === undefined ? '' : ` monitor-tile-${tone}`}`}>
      <dt class="muted small">{name}</dt>
      <dd class="monitor-figure numbers">{value}</dd>
      <dd class="small monitor-tile-note">{note}</dd>
    </div>
  )
}

function UptimeTile({ monitor: { id, down_since }, window }: { monitor: MonitorRecord; window: IncidentWindow }) {
  const { data, error } = useChecks(id, window)
  const now = useServerNow(down_since !== null)
  const name = `Uptime, last ${windowLabels[window]}`
  // A non-breaking space keeps the height while loading.
  if (data === undefined)
    return <Tile name={name} value={error ? '–' : '\u00a0'} note={error ? 'Unavailable' : '\u00a0'} />
  const { uptime_percent } = data.meta
  const downSeconds = growDowntime(data.meta, down_since, now)
  const note =
    uptime_percent === null
      ? 'Not monitored'
      : downSeconds === 0
        ? 'No downtime'
        : `Down for ${formatDurationSeconds(downSeconds)}`
  return <Tile name={name} value={formatUptimePercent(uptime_percent, downSeconds > 0)} note={note} />
}

function CertificateTile({ expiresAt }: { expiresAt: string | null }) {
  const name = 'Certificate'
  if (expiresAt === null) return <Tile name={name} value="–" note="Not checked yet" />
  const days = countDaysUntil(expiresAt)
  if (days < 0) return <Tile name={name} value="Expired" note={`Since ${formatDate(expiresAt)}`} tone="bad" />
  return (
    <Tile
      name={name}
      value={pluralize(days, 'day')}
      note={`${days < CERTIFICATE_WARNING_DAYS ? 'Renew soon: expires' : 'Expires'} ${formatDate(expiresAt)}`}
      {...(days < CERTIFICATE_WARNING_DAYS && { tone: 'warn' as const })}
    />
  )
}
