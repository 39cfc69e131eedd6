/** A row of buttons, exactly one of which is selected. */
export function SegmentedControl<T extends string>({
  label,
  choices,
  value,
  onValue,
}: {
  label: string
  choices: readonly { value: T; label: string }[]
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
          {choice.label}
        </button>
      ))}
    </div>
  )
}
