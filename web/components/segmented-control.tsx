import type { LucideIcon } from 'lucide-preact'
import { formatNumber } from '../lib/format.ts'
import { Icon } from './icon.tsx'

/** A row of buttons, exactly one of which is selected. */
export function SegmentedControl<T extends string>({
  label,
  choices,
  value,
  onValue,
}: {
  label: string
  /** `count` is how many entries a choice shows, or undefined while loading. */
  choices: readonly { value: T; label: string; icon?: LucideIcon; count?: number | undefined }[]
  value: T
  onValue: (value: T) => void
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset belongs in a form
    <div class="segments" role="group" aria-label={label}>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onValue(choice.value)}
        >
          {choice.icon && <Icon icon={choice.icon} size={15} />}
          {choice.label}
          {'count' in choice && (
            <>
              {' '}
              <span class="segment-count numbers">
                {choice.count === undefined ? '\u00a0' : formatNumber(choice.count)}
              </span>
            </>
          )}
        </button>
      ))}
    </div>
  )
}
