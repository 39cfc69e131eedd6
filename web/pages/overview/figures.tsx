/** The figures above the list. A click on a figure shows only the matching rows. */
import type { ComponentChildren } from 'preact'
import { formatCompactNumber, formatMs, formatNumber, formatUptimePercent } from '../../lib/format.ts'
import { formatSince } from '../../lib/uptime-text.ts'
import type { RowFilter } from './rows.ts'
import type { OverviewFigures } from './summary.ts'
import type { ListParams } from './use-list-params.ts'
import './figures.css'

interface FiguresProps {
  figures: OverviewFigures
  hasMonitors: boolean
  hasWebsites: boolean
  params: ListParams
}

export function Figures({ figures, hasMonitors, hasWebsites, params }: FiguresProps) {
  const { up, down, paused, pending, visitorsNow, visitorsToday, visitorsYesterday } = figures
  const figureProps = (filter: RowFilter) => ({
    isPressed: params.filter === filter,
    // A second click shows all rows again.
    onClick: () => params.set({ show: params.filter === filter ? 'all' : filter }),
  })
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset belongs in a form
    <div class="overview-figures" role="group" aria-label="Summary">
      {hasMonitors && (
        <>
          <Figure label="Down" value={formatNumber(down)} tone={down > 0 ? 'down' : 'none'} {...figureProps('down')} />
          <Figure
            label="Up"
            value={formatNumber(up)}
            note={pending > 0 ? `${formatNumber(pending)} pending` : undefined}
            tone={up > 0 ? 'up' : 'none'}
            {...figureProps('up')}
          />
          <Figure label="Paused" value={formatNumber(paused)} {...figureProps('paused')} />
        </>
      )}
      {hasWebsites && (
        <>
          <Figure
            label={visitorsNow === 1 ? 'Visitor now' : 'Visitors now'}
            value={formatCompactNumber(visitorsNow)}
            tone={visitorsNow > 0 ? 'live' : 'none'}
            {...figureProps('websites')}
          />
          <Figure
            label={visitorsToday === 1 ? 'Visitor today' : 'Visitors today'}
            value={formatCompactNumber(visitorsToday)}
            note={`${formatCompactNumber(visitorsYesterday)} yesterday`}
            {...figureProps('websites')}
          />
        </>
      )}
      {hasMonitors && (
        <>
          <Figure
            label="Uptime"
            value={formatTotalUptime(figures)}
            note={describeUptimePeriod(figures)}
            {...figureProps('monitors')}
          />
          <Figure
            label="Response time"
            value={figures.responseMs === undefined ? undefined : formatMs(figures.responseMs)}
            note={describeResponseTime(figures)}
            {...figureProps('monitors')}
          />
        </>
      )}
    </div>
  )
}

function formatTotalUptime({ uptimePercent, hasUptimePercent }: OverviewFigures): string | undefined {
  if (uptimePercent === undefined) return undefined
  return formatUptimePercent(hasUptimePercent ? uptimePercent : null)
}

function describeUptimePeriod({ monitoredSince, hasUptimePercent }: OverviewFigures): string {
  if (monitoredSince === null) return '90 days'
  return hasUptimePercent ? `since ${formatSince(monitoredSince)}` : 'shown after one day'
}

/** Says why there is no response time, if there is none. */
function describeResponseTime({ responseMs, up }: OverviewFigures): string {
  if (responseMs !== null) return 'average'
  return up === 0 ? 'no monitor is up' : 'not measured'
}

interface FigureProps {
  label: string
  /** Undefined while loading. */
  value: string | undefined
  note?: ComponentChildren
  tone?: 'none' | 'up' | 'down' | 'live'
  isPressed: boolean
  onClick: () => void
}

function Figure({ label, value, note, tone = 'none', isPressed, onClick }: FigureProps) {
  return (
    <button type="button" class={`overview-card overview-tone-${tone}`} aria-pressed={isPressed} onClick={onClick}>
      <span class="overview-card-label">{label}</span>{' '}
      <span class="overview-card-value numbers">{value ?? <span class="overview-card-wait">…</span>}</span>{' '}
      <span class="overview-card-note">{note}</span>
    </button>
  )
}
