/** Where the time of one check went. */
import { formatMs } from '../lib/format.ts'
import { type CheckPhase, listPhases, type PhaseTimings } from '../lib/check-phases.ts'
import './check-phases.css'

export function Phases({ check }: { check: PhaseTimings }) {
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
          <PhaseKey key={phase.name} {...phase} />
        ))}
      </dl>
    </div>
  )
}

function PhaseKey({ name, ms, colourVar }: CheckPhase) {
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
