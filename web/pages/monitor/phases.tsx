/** Where the time of one check went. */
import { formatMs } from '../../lib/format.ts'
import { type Phase, phasesOf } from './series.ts'

export function Phases({ check }: { check: Parameters<typeof phasesOf>[0] }) {
  const phases = phasesOf(check)
  if (phases.length === 0) return null
  return (
    <div class="monitor-phases">
      <div class="monitor-phases-bar" aria-hidden="true">
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

function PhaseKey({ name, ms, colourVar }: Phase) {
  return (
    <div>
      <dt>
        <span class="monitor-swatch" style={{ background: `var(${colourVar})` }} aria-hidden="true" />
        {name}
      </dt>
      <dd class="numbers">{formatMs(ms)}</dd>
    </div>
  )
}
