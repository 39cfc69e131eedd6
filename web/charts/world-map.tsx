/**
 * A map of visitors by country. A stronger colour means more visitors. Keyboard users have the country list, which
 * shows the same data.
 */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { TooltipBox } from '../components/tooltip.tsx'
import { formatCompactNumber, formatCountry, formatPercentage, pluralize } from '../lib/format.ts'
import world from './world.json'
import './world-map.css'

interface WorldMapProps {
  /** Visitors by two-letter ISO country code. */
  visitorsByCountry: ReadonlyMap<string, number>
  totalVisitors: number
  /**
   * The flag of a country. The page passes this function, because this script is loaded lazily: if it imported the icons itself, the
   * bundler would make it depend on other large scripts.
   */
  renderIcon: (code: string) => ComponentChildren
  onPick: (code: string) => void
}

interface HoveredCountry {
  code: string
  /** Where the pointer is, in pixels from the window's top left corner. */
  x: number
  y: number
}

/** More shades would be hard to distinguish. */
const SHADES = [1, 2, 3, 4, 5] as const

/** A logarithmic scale, because one country often has more visitors than all others together. */
function chooseShade(count: number, max: number): number {
  if (count === 0) return 0
  return Math.max(1, Math.ceil((Math.log(count + 1) / Math.log(max + 1)) * SHADES.length))
}

export default function WorldMap({ visitorsByCountry, totalVisitors, renderIcon, onPick }: WorldMapProps) {
  const [hovered, setHovered] = useState<HoveredCountry>()
  const max = Math.max(1, ...visitorsByCountry.values())
  const getShapeProps = (code: string) => {
    const count = visitorsByCountry.get(code) ?? 0
    return {
      class: `world-map-${chooseShade(count, max)}`,
      onPointerMove: ({ clientX: x, clientY: y }: PointerEvent) => setHovered({ code, x, y }),
      ...(count > 0 && { onClick: () => onPick(code) }),
    }
  }
  return (
    <figure class="world-map" onPointerLeave={() => setHovered(undefined)}>
      <svg
        viewBox={world.viewBox}
        role="img"
        aria-label={`Map of visitors from ${pluralize(visitorsByCountry.size, 'country', 'countries')}`}
      >
        <path class="world-map-0" d={world.others} onPointerMove={() => setHovered(undefined)} />
        {Object.entries(world.outlines).map(([code, path]) => (
          <path key={code} d={path} {...getShapeProps(code)} />
        ))}
        {(world.dots as [string, number, number][])
          .filter(([code]) => visitorsByCountry.has(code))
          .map(([code, x, y]) => (
            <circle key={code} cx={x} cy={y} r={5} {...getShapeProps(code)} />
          ))}
      </svg>
      <figcaption class="world-map-legend muted" aria-hidden="true">
        <span class="numbers">1</span>
        {SHADES.map((shade) => (
          <span key={shade} class={`world-map-swatch world-map-${shade}`} />
        ))}
        <span class="numbers">{formatCompactNumber(max)}</span>
        visitors
      </figcaption>
      {hovered && (
        <TooltipBox findAnchor={() => ({ left: hovered.x, top: hovered.y, width: 0, height: 12 })}>
          <span class="world-map-country">
            {renderIcon(hovered.code)}
            <CountryDetails
              code={hovered.code}
              count={visitorsByCountry.get(hovered.code) ?? 0}
              totalVisitors={totalVisitors}
            />
          </span>
        </TooltipBox>
      )}
    </figure>
  )
}

function CountryDetails({ code, count, totalVisitors }: { code: string; count: number; totalVisitors: number }) {
  return (
    <>
      <strong>{formatCountry(code)}</strong>
      <span class="numbers muted">
        {pluralize(count, 'visitor')}
        {count > 0 && totalVisitors > 0 && ` (${formatPercentage((100 * count) / totalVisitors)})`}
      </span>
    </>
  )
}
