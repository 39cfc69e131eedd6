/** The usual numbers to choose from, and any other by hand. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { type Choice, SelectField, TextField } from '../../components/field.tsx'

const OTHER = 'other'

interface ChoiceOrNumberProps {
  label: string
  /** Of the number that is typed by hand. */
  otherLabel: string
  choices: readonly Choice[]
  value: string
  onValue: (value: string) => void
  hint?: ComponentChildren
  errors?: readonly string[]
}

export function ChoiceOrNumber(props: ChoiceOrNumberProps) {
  const { label, otherLabel, choices, value, onValue, hint, errors } = props
  const isUsual = choices.some((choice) => choice.value === value)
  const [isOther, setOther] = useState(!isUsual)
  const isByHand = isOther || !isUsual
  return (
    <div class="monitor-form-choice">
      <SelectField
        label={label}
        hint={isByHand ? undefined : hint}
        errors={isByHand ? [] : errors}
        value={isByHand ? OTHER : value}
        choices={[...choices, { value: OTHER, label: 'Other…' }]}
        onValue={(chosen) => {
          setOther(chosen === OTHER)
          if (chosen !== OTHER) onValue(chosen)
        }}
      />
      {isByHand && (
        <TextField
          label={otherLabel}
          hint={hint}
          errors={errors}
          value={value}
          onValue={onValue}
          inputMode="numeric"
          autocomplete="off"
        />
      )}
    </div>
  )
}
