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
  /** Puts two cards in a row if there is room. */
  isGrid?: boolean
}

/** Radio buttons as cards. Put them in a `FieldGroup`, which labels the group. */
export function ChoiceCards<T extends string>({ choices, value, onValue, isGrid = false }: ChoiceCardsProps<T>) {
  const id = useId()
  return (
    <div class={`choices${isGrid ? ' choices-grid' : ''}`}>
      {choices.map((choice) => (
        <label key={choice.value} class="choice">
          <input
            type="radio"
            name={id}
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
