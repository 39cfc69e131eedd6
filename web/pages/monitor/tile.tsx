import type { ComponentChildren } from 'preact'
import './tile.css'

interface TileProps {
  name: string
  value: ComponentChildren
  note: ComponentChildren
  tone?: 'warn' | 'bad'
}

/** A figure with its name above and a note below, in a `monitor-tiles` list. */
export function Tile({ name, value, note, tone }: TileProps) {
  return (
    <div class={`monitor-tile${tone === undefined ? '' : ` monitor-tile-${tone}`}`}>
      <dt class="muted small">{name}</dt>
      <dd class="monitor-figure numbers">{value}</dd>
      <dd class="small monitor-tile-note">{note}</dd>
    </div>
  )
}
