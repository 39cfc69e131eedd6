import { useEffect, useState } from 'preact/hooks'
import { Skeleton } from '../../components/states.tsx'
import { DateTime } from '../../components/time.tsx'
import { toSentence, causeTexts } from '../../lib/causes.ts'
import { formatDuration } from '../../lib/format.ts'
import type { Provider } from '../../lib/providers.ts'
import { type Alert, type Incident, useSent } from './queries.ts'
import { SentList } from './alert-list.tsx'
import { summaryOf } from './alert-summary.ts'
import { endWords } from './labels.ts'

interface IncidentItemProps {
  incident: Incident
  askedAt: number
  /** Not there while it is loading. */
  sent: readonly Alert[] | undefined
  isWhole: boolean
  providers: readonly Provider[]
}

export function IncidentItem({ incident, askedAt, sent, isWhole, providers }: IncidentItemProps) {
  const { status, cause, detail, started_at } = incident
  const isOpen = status === 'open'
  const [isExpanded, setExpanded] = useState(false)
  return (
    <li class={`monitor-incident${isOpen ? ' monitor-incident-open' : ''}`}>
      <div class="monitor-incident-head">
        <h3>{causeTexts[cause].title}</h3>
        <span class="numbers">{isOpen ? <Since incident={incident} askedAt={askedAt} /> : lengthOf(incident)}</span>
      </div>
      <p>{toSentence(detail)}</p>
      <p class="small muted">
        <DateTime at={started_at} hasSeconds /> · {endWords(incident)}
        {incident.resolved_at !== null && (
          <>
            {' '}
            <DateTime at={incident.resolved_at} hasSeconds />
          </>
        )}
      </p>
      {sent !== undefined && (
        <details onToggle={(event) => setExpanded(event.currentTarget.open)}>
          <summary class="small">{summaryOf(sent, isWhole)}</summary>
          {isExpanded && <Sent incident={incident} known={isWhole ? sent : undefined} providers={providers} />}
        </details>
      )}
    </li>
  )
}

interface SentProps {
  incident: Incident
  /** Not there where one answer did not hold what was sent about all of them. */
  known: readonly Alert[] | undefined
  providers: readonly Provider[]
}

function Sent({ incident, known, providers }: SentProps) {
  const { data } = useSent(incident.monitor_id, known === undefined ? [incident.id] : [])
  if (known !== undefined) return <SentList sent={known} total={known.length} providers={providers} />
  if (data === undefined) return <Skeleton height="3rem" />
  return <SentList sent={data.data.toReversed()} total={data.meta.total} providers={providers} />
}

const lengthOf = ({ duration_seconds }: Incident) => formatDuration(duration_seconds)

/** By the clock of the server: ours only says how long ago we asked. */
function Since({ incident, askedAt }: { incident: Incident; askedAt: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const passed = Math.max(0, Math.floor((now - askedAt) / 1_000))
  return <>{formatDuration(incident.duration_seconds + passed)}</>
}
