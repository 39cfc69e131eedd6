import { useState } from 'preact/hooks'
import { Dialog } from '../../components/dialog.tsx'
import { CheckField } from '../../components/field.tsx'
import { hasShortcuts, keepShortcuts } from '../../lib/shortcuts.ts'

const shortcuts = [
  { names: ['/'], what: 'Go to the search' },
  { names: ['↓', 'j'], what: 'Next row' },
  { names: ['↑', 'k'], what: 'Previous row' },
  { names: ['Home', 'End'], what: 'First and last row' },
  { names: ['Enter'], what: 'Open the row' },
  { names: ['f'], what: 'Make the website a favourite, or no longer' },
  { names: ['?'], what: 'Show these keys' },
]

export function KeysDialog({ onClose }: { onClose: () => void }) {
  const [isOn, setOn] = useState(hasShortcuts)
  return (
    <Dialog title="Keys" onClose={onClose}>
      <div class="stack">
        <dl class="overview-keys">
          {shortcuts.map(({ names, what }) => (
            <div key={what}>
              <dt>
                {names.map((name) => (
                  <kbd key={name}>{name}</kbd>
                ))}
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <CheckField
          label="Use letters as keys"
          hint="Off, only arrows, Home, End and Enter do something. Remembered in this browser."
          checked={isOn}
          onValue={(checked) => {
            keepShortcuts(checked)
            setOn(checked)
          }}
        />
      </div>
    </Dialog>
  )
}
