import type { LucideIcon } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { IconTile } from './states.tsx'

interface Choice<T extends string> {
  value: T
  label: string
  hint: ComponentChildren
  icon: LucideIcon
}

interface ChoiceCardsProps<T extends string> {
  choices: readonly Choice<T>[]
  value: T
  onValue: (value: T) => void
  /** `grid` puts two cards in a row if there is room. `compact` is for many choices: on a phone, they show only icon and label. */
  layout?: 'list' | 'grid' | 'compact'
  /** Set the same name for several groups of cards if the user can select only one card of all these groups. */
  name?: string
}

/** Radio buttons as cards. Put them in a `FieldGroup`, which labels the group. */
export function ChoiceCards<T extends string>({ choices, value, onValue, layout = 'list', name }: ChoiceCardsProps<T>) {
  const id = useId()
  return (
    <div class={`choices choices-${layout}`}>
      {choices.map((choice) => (
        <label key={choice.value} class="choice">
          <input
            type="radio"
            name={name ?? id}
            value={choice.value}
            checked={value === choice.value}
            onChange={() => onValue(choice.value)}
            aria-labelledby={`${id}-${choice.value}`}
            aria-describedby={`${id}-${choice.value}-hint`}
          />
          <IconTile icon={choice.icon} />
          <span class="choice-text">
            <span class="choice-label" id={`${id}-${choice.value}`}>
              {choice.label}
            </span>
            <span class="field-hint" id={`${id}-${choice.value}-hint`}>
              {choice.hint}
            </span>
          </span>
        </label>
      ))}
    </div>
  )
}
