import type { ComponentChildren } from 'preact'
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { CERTIFICATE_WARNING_DAYS } from '../../../src/shared/monitors.ts'
import { formatCount, formatDate, formatDuration, formatUptime } from '../../lib/format.ts'
import { windowWords } from './labels.ts'
import { useChecks, type WindowName, windows } from './queries.ts'
import { daysUntil } from './series.ts'

export function Tiles({ monitor }: { monitor: MonitorRecord }) {
  const { id, url, type, tls_expires_at } = monitor
  const hasCertificate = tls_expires_at !== null || (type === 'http' && /^https:/i.test(url))
  return (
    <dl class="monitor-tiles">
      {windows.map((window) => (
        <UptimeTile key={window} id={id} window={window} />
      ))}
      {hasCertificate && <CertificateTile expiresAt={tls_expires_at} />}
    </dl>
  )
}

interface TileProps {
  name: string
  value: ComponentChildren
  note: ComponentChildren
  look?: 'warn' | 'bad'
}

function Tile({ name, value, note, look }: TileProps) {
  return (
    <div class={`panel monitor-tile${look === undefined ? '' : ` monitor-tile-${look}`}`}>
      <dt class="muted small">{name}</dt>
      <dd class="monitor-figure numbers">{value}</dd>
      <dd class="small muted">{note}</dd>
    </div>
  )
}

function UptimeTile({ id, window }: { id: number; window: WindowName }) {
  const { data, error } = useChecks(id, window)
  const name = `Uptime, ${windowWords[window]}`
  // As tall while it is loading: a space that is not broken.
  if (data === undefined)
    return <Tile name={name} value={error ? '–' : '\u00a0'} note={error ? 'Not known' : '\u00a0'} />
  const { uptime_percent, downtime_seconds } = data.meta
  const note =
    uptime_percent === null
      ? 'Not watched yet'
      : downtime_seconds === 0
        ? 'Never down'
        : `Down for ${formatDuration(downtime_seconds)}`
  return <Tile name={name} value={formatUptime(uptime_percent, downtime_seconds > 0)} note={note} />
}

function CertificateTile({ expiresAt }: { expiresAt: string | null }) {
  const name = 'Certificate'
  if (expiresAt === null) return <Tile name={name} value="–" note="Not seen yet" />
  const days = daysUntil(expiresAt)
  if (days < 0) return <Tile name={name} value="Expired" note={`on ${formatDate(expiresAt)}`} look="bad" />
  return (
    <Tile
      name={name}
      value={formatCount(days, 'day')}
      note={`${days < CERTIFICATE_WARNING_DAYS ? 'Renew it: it expires' : 'until it expires'} on ${formatDate(expiresAt)}`}
      {...(days < CERTIFICATE_WARNING_DAYS && { look: 'warn' as const })}
    />
  )
}
