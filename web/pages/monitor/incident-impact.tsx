/**
 * Shows what an incident meant for visitors: how many visits it cost, whether visitors confirm it, and why visits
 * stopped.
 */
import { ChartNoAxesColumn, type LucideIcon, ScanSearch, UserCheck, UserX } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Impact } from '../../../src/shared/impact.ts'
import { VisitsChart } from '../../charts/visits-chart.tsx'
import { Icon } from '../../components/icon.tsx'
import { QueryContent, Skeleton } from '../../components/states.tsx'
import { causeTexts } from '../../lib/causes.ts'
import { formatNumber, formatPercentage, pluralize } from '../../lib/format.ts'
import {
  diagnosisAdvice,
  diagnosisTitles,
  formatMissedVisits,
  formatVisitors,
  missingEstimateTexts,
} from '../../lib/impact.ts'
import { type Incident, useIncidentVisits } from './queries.ts'
import './incident-impact.css'

const CHART_HEIGHT_PX = 150

export function IncidentImpact({ incident }: { incident: Incident }) {
  const facts = IncidentFacts({ incident })
  if (facts === null) return null
  return (
    <div class="incident-impact">
      {facts}
      {incident.impact?.basis === 'profile' && <VisitsAround incident={incident} impact={incident.impact} />}
    </div>
  )
}

interface IncidentFactsProps {
  incident: Incident
  /** False if the page shows the estimate elsewhere. */
  hasMissedVisits?: boolean
}

/** Returns null if there is nothing to say about the visitors. */
export function IncidentFacts({ incident, hasMissedVisits = true }: IncidentFactsProps) {
  const { impact, visitors, diagnosis, cause } = incident
  // An incident of a traffic monitor already says that no visits arrive, so don't repeat that visitors are gone.
  const visitorText = cause === 'silence' ? undefined : formatVisitors(incident)
  // If visitors arrive as usual, an estimate of missed visits around 0 would only confuse.
  const missedText = visitors === 'normal' || !hasMissedVisits ? undefined : formatMissedVisits(impact)
  const missingText = impact && hasMissedVisits && missingEstimateTexts[impact.basis]
  if (!(diagnosis || visitorText || missedText || missingText)) return null
  return (
    <ul class="incident-facts small">
      {diagnosis && (
        <Fact icon={ScanSearch}>
          <b>{diagnosisTitles[diagnosis]}.</b> {diagnosisAdvice[diagnosis]}
        </Fact>
      )}
      {visitorText && (
        <Fact icon={visitors === 'normal' ? UserCheck : UserX} tone={visitors === 'normal' ? 'up' : 'down'}>
          {visitorText}
        </Fact>
      )}
      {missedText && (
        <Fact icon={ChartNoAxesColumn}>
          <b>{missedText}</b>
        </Fact>
      )}
      {missingText && (
        <Fact icon={ChartNoAxesColumn}>
          <span class="muted">{missingText}</span>
        </Fact>
      )}
    </ul>
  )
}

interface FactProps {
  icon: LucideIcon
  tone?: 'up' | 'down'
  children: ComponentChildren
}

function Fact({ icon, tone, children }: FactProps) {
  return (
    <li class={tone && `incident-fact-${tone}`}>
      <Icon icon={icon} size={15} />
      <span>{children}</span>
    </li>
  )
}

interface VisitsProps {
  incident: Incident
  impact: Impact
}

/**
 * The chart of an ongoing incident is open from the start. The chart of a resolved incident loads when the user opens
 * it.
 */
function VisitsAround(props: VisitsProps) {
  const [isOpen, setOpen] = useState(props.incident.status === 'open')
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class="small">Visits around the incident</summary>
      {isOpen && <IncidentVisits {...props} />}
    </details>
  )
}

export function IncidentVisits({ incident, impact }: VisitsProps) {
  const query = useIncidentVisits(incident)
  const { visits_seen, visits_expected, visits_low, visits_high, confidence } = impact
  const summary = `${pluralize(visits_seen ?? 0, 'visit')} recorded, ${formatNumber(visits_expected ?? 0)} expected`
  return (
    <div class="incident-visits">
      <QueryContent query={query} loading={<Skeleton height={`${CHART_HEIGHT_PX + 56}px`} />}>
        {({ slots, slot_seconds, to }) =>
          slots.length === 0 ? (
            <p class="small muted">No visits to compare with</p>
          ) : (
            <VisitsChart
              label={`Visits around the incident: ${summary} during it`}
              slots={slots}
              slotSeconds={slot_seconds}
              to={to}
              incident={{ ...incident, title: causeTexts[incident.cause].title }}
              height={CHART_HEIGHT_PX}
            />
          )
        }
      </QueryContent>
      <p class="small muted">
        During the incident: {summary}. With a probability of {formatPercentage(100 * confidence)}, usual traffic would
        have been between {formatNumber(visits_low ?? 0)} and {pluralize(visits_high ?? 0, 'visit')}.
      </p>
    </div>
  )
}
