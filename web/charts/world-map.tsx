/** Where visitors come from: the darker, the more. The list beside it says the same in words and can be used by keyboard. */
import { useState } from 'preact/hooks'
import { formatCountry, formatCount } from '../lib/format.ts'
import world from './world.json'
import './world-map.css'

interface WorldMapProps {
  /** By ISO code of two letters. */
  counts: ReadonlyMap<string, number>
  onPick: (code: string) => void
}

/** Shades that the eye tells apart. */
const LEVELS = 5

/** By its order of magnitude: one country has often more than all others together. */
function levelOf(count: number, most: number): number {
  if (count === 0) return 0
  return Math.max(1, Math.ceil((Math.log(count + 1) / Math.log(most + 1)) * LEVELS))
}

export default function WorldMap({ counts, onPick }: WorldMapProps) {
  const [pointed, setPointed] = useState<string>()
  const most = Math.max(1, ...counts.values())
  const propsOf = (code: string) => {
    const count = counts.get(code) ?? 0
    return {
      class: `world-map-${levelOf(count, most)}`,
      onPointerEnter: () => setPointed(code),
      ...(count > 0 && { onClick: () => onPick(code) }),
    }
  }
  return (
    <figure class="world-map">
      <svg
        viewBox={world.viewBox}
        role="img"
        aria-label={`Map of visitors from ${formatCount(counts.size, 'country', 'countries')}`}
        onPointerLeave={() => setPointed(undefined)}
      >
        <path class="world-map-0" d={world.others} />
        {Object.entries(world.outlines).map(([code, path]) => (
          <path key={code} d={path} {...propsOf(code)} />
        ))}
        {(world.dots as [string, number, number][])
          .filter(([code]) => counts.has(code))
          .map(([code, x, y]) => (
            <circle key={code} cx={x} cy={y} r={5} {...propsOf(code)} />
          ))}
      </svg>
      <figcaption class="muted small">
        {pointed === undefined
          ? 'Click on a country to see it alone.'
          : `${formatCountry(pointed)}: ${formatCount(counts.get(pointed) ?? 0, 'visitor')}`}
      </figcaption>
    </figure>
  )
}
