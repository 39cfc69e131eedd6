import { useState } from 'preact/hooks'
import { Dialog } from '../../components/dialog.tsx'
import { CheckField } from '../../components/field.tsx'
import { areShortcutsEnabled, setShortcutsEnabled } from '../../lib/shortcuts.ts'
import { paletteShortcutLabel } from '../../palette/open-palette.ts'
import './shortcuts-dialog.css'

const shortcuts = [
  { keys: [paletteShortcutLabel], action: 'Open the command palette' },
  { keys: ['/'], action: 'Focus search' },
  { keys: ['↓', 'j'], action: 'Next row' },
  { keys: ['↑', 'k'], action: 'Previous row' },
  { keys: ['Home', 'End'], action: 'First / last row' },
  { keys: ['Enter'], action: 'Open row' },
  { keys: ['←', '→'], action: 'Previous / next day of the uptime bars' },
  { keys: ['e'], action: 'Expand or collapse a group' },
  { keys: ['f'], action: 'Add to or remove from favorites' },
  { keys: ['?'], action: 'Show keyboard shortcuts' },
]

export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const [isEnabled, setEnabled] = useState(areShortcutsEnabled)
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div class="stack">
        <dl class="overview-shortcuts">
          {shortcuts.map(({ keys, action }) => (
            <div key={action}>
              <dt>
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{action}</dd>
            </div>
          ))}
        </dl>
        <CheckField
          label="Enable letter and symbol shortcuts"
          hint={`When off, only ${paletteShortcutLabel}, the arrow keys, Home, End and Enter work. Saved in this browser.`}
          checked={isEnabled}
          onValue={(checked) => {
            setShortcutsEnabled(checked)
            setEnabled(checked)
          }}
        />
      </div>
    </Dialog>
  )
}
