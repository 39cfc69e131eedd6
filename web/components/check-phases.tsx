/** Shows how the response time of one check splits into DNS lookup, connection, TLS and so on. */
import { type CheckPhase, type CheckPhaseTimings, listPhases } from '../lib/check-phases.ts'
import { formatMs } from '../lib/format.ts'
import './check-phases.css'

export function CheckPhases({ check }: { check: CheckPhaseTimings }) {
  const phases = listPhases(check)
  if (phases.length === 0) return null
  return (
    <div class="phases">
      <div class="phases-bar" aria-hidden="true">
        {phases.map(({ name, ms, colourVar }) => (
          <span key={name} style={{ flexGrow: ms, background: `var(${colourVar})` }} />
        ))}
      </div>
      <dl class="small">
        {phases.map((phase) => (
          <PhaseLegend key={phase.name} {...phase} />
        ))}
      </dl>
    </div>
  )
}

function PhaseLegend({ name, ms, colourVar }: CheckPhase) {
  return (
    <div>
      <dt>
        <span class="phases-swatch" style={{ background: `var(${colourVar})` }} aria-hidden="true" />
        {name}
      </dt>
      <dd class="numbers">{formatMs(ms)}</dd>
    </div>
  )
}
