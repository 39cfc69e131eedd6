/** A select with common values, plus a text field for any other number. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { SelectField, type SelectOption, TextField } from '../../components/field.tsx'
import './monitor-form.css'

const CUSTOM = 'custom'

interface PresetOrCustomProps {
  label: string
  /** Label of the text field. */
  customLabel: string
  presets: readonly SelectOption[]
  value: string
  onValue: (value: string) => void
  hint?: ComponentChildren
  errors?: readonly string[]
}

export function PresetOrCustom(props: PresetOrCustomProps) {
  const { label, customLabel, presets, value, onValue, hint, errors } = props
  const isPreset = presets.some((preset) => preset.value === value)
  const [isCustomChosen, setCustomChosen] = useState(!isPreset)
  const isCustom = isCustomChosen || !isPreset
  return (
    <div class="monitor-form-preset">
      <SelectField
        label={label}
        hint={isCustom ? undefined : hint}
        errors={isCustom ? [] : errors}
        value={isCustom ? CUSTOM : value}
        choices={[...presets, { value: CUSTOM, label: 'Custom…' }]}
        onValue={(choice) => {
          setCustomChosen(choice === CUSTOM)
          if (choice !== CUSTOM) onValue(choice)
        }}
      />
      {isCustom && (
        <TextField
          label={customLabel}
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
