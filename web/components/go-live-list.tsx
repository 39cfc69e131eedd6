/** What an admin should set before other people rely on the server: its state, why it matters, and the lines to set. */
import { CircleCheck, TriangleAlert } from 'lucide-preact'
import type { GoLiveItemRecord } from '../../src/server-settings/schema.ts'
import type { GoLiveKey } from '../../src/shared/server-settings.ts'
import { CodeLine } from './copy-button.tsx'
import { Icon } from './icon.tsx'
import './go-live-list.css'

interface GoLiveListProps {
  items: readonly GoLiveItemRecord[]
  /** Leaves out why an item matters and how to set it. */
  isCompact?: boolean
}

const instructionTitles: Record<GoLiveKey, string> = {
  url: 'How to set it on the server',
  https: 'How to set up HTTPS',
  mail: 'How to set it on the server',
  backups: 'How to back up every night',
}

export function GoLiveList({ items, isCompact = false }: GoLiveListProps) {
  return (
    <ul class="go-live">
      {items.map((item) => (
        <li key={item.key} class={item.is_done ? 'go-live-done' : 'go-live-open'}>
          <Icon icon={item.is_done ? CircleCheck : TriangleAlert} />
          <div class="go-live-body">
            <h3>
              {item.title}
              <span class="hidden-text">{item.is_done ? ' (done)' : ' (to do)'}</span>
            </h3>
            <p class="muted small">{item.state}</p>
            {!isCompact && !item.is_done && <p class="small">{item.why}</p>}
            {!isCompact && item.instruction && (
              <details>
                <summary class="small">{instructionTitles[item.key]}</summary>
                <div class="go-live-lines small">
                  <p>{item.instruction.where}</p>
                  <CodeLine text={item.instruction.lines.join('\n')} />
                  {item.instruction.next && <p>{item.instruction.next}</p>}
                  <p class="muted">
                    Details are in <code>{item.docs}</code>.
                  </p>
                </div>
              </details>
            )}
          </div>
        </li>
      ))}
    </ul>
  )
}
