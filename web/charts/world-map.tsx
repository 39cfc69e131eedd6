/** Visitors by country; darker means more. Keyboard users have the country list, which shows the same data. */
import { useState } from 'preact/hooks'
import { formatCountry, pluralize } from '../lib/format.ts'
import world from './world.json'
import './world-map.css'

interface WorldMapProps {
  /** Visitors by two-letter ISO country code. */
  visitorsByCountry: ReadonlyMap<string, number>
  onPick: (code: string) => void
}

/** More shades would be hard to distinguish. */
const SHADE_COUNT = 5

/** A logarithmic scale, because one country often has more visitors than all others together. */
function chooseShade(count: number, max: number): number {
  if (count === 0) return 0
  return Math.max(1, Math.ceil((Math.log(count + 1) / Math.log(max + 1)) * SHADE_COUNT))
}

export default function WorldMap({ visitorsByCountry, onPick }: WorldMapProps) {
  const [hoveredCode, setHoveredCode] = useState<string>()
  const max = Math.max(1, ...visitorsByCountry.values())
  const getShapeProps = (code: string) => {
    const count = visitorsByCountry.get(code) ?? 0
    return {
      class: `world-map-${chooseShade(count, max)}`,
      onPointerEnter: () => setHoveredCode(code),
      ...(count > 0 && { onClick: () => onPick(code) }),
    }
  }
  return (
    <figure class="world-map">
      <svg
        viewBox={world.viewBox}
        role="img"
        aria-label={`Map of visitors from ${pluralize(visitorsByCountry.size, 'country', 'countries')}`}
        onPointerLeave={() => setHoveredCode(undefined)}
      >
        <path class="world-map-0" d={world.others} />
        {Object.entries(world.outlines).map(([code, path]) => (
          <path key={code} d={path} {...getShapeProps(code)} />
        ))}
        {(world.dots as [string, number, number][])
          .filter(([code]) => visitorsByCountry.has(code))
          .map(([code, x, y]) => (
            <circle key={code} cx={x} cy={y} r={5} {...getShapeProps(code)} />
          ))}
      </svg>
      <figcaption class="muted small">
        {hoveredCode === undefined
          ? 'Click a country to filter by it.'
          : `${formatCountry(hoveredCode)}: ${pluralize(visitorsByCountry.get(hoveredCode) ?? 0, 'visitor')}`}
      </figcaption>
    </figure>
  )
}
