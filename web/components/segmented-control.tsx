import type { LucideIcon } from 'lucide-preact'
import { Icon } from './icon.tsx'

/** A row of buttons, exactly one of which is selected. */
export function SegmentedControl<T extends string>({
  label,
  choices,
  value,
  onValue,
}: {
  label: string
  choices: readonly { value: T; label: string; icon?: LucideIcon }[]
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
        </button>
      ))}
    </div>
  )
}
