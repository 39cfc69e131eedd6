import { ArrowDown, ArrowUp, CornerDownLeft, type LucideIcon } from 'lucide-preact'
import { Icon } from '../components/icon.tsx'
import { isApplePlatform } from './open-palette.ts'

const hints: readonly { keys: readonly (LucideIcon | string)[]; label: string }[] = [
  { keys: [ArrowUp, ArrowDown], label: 'Move' },
  { keys: [CornerDownLeft], label: 'Open' },
  { keys: [isApplePlatform ? '⌘' : 'Ctrl', CornerDownLeft], label: 'New tab' },
]
const backHint = { keys: ['Backspace'], label: 'Back' }
const closeHint = { keys: ['Esc'], label: 'Close' }

/** The keys of the palette, for sighted users. Screen readers announce the keys of a combobox themselves. */
export function PaletteHints({ hasBack }: { hasBack: boolean }) {
  return (
    <div class="palette-hints" aria-hidden="true">
      {[...hints, hasBack ? backHint : closeHint].map(({ keys, label }) => (
        <span key={label}>
          {keys.map((key, index) => (
            <kbd key={index}>{typeof key === 'string' ? key : <Icon icon={key} size={11} />}</kbd>
          ))}
          {label}
        </span>
      ))}
    </div>
  )
}
