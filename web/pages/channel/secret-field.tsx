/** A field for a secret, of which the server returns only the last characters. */
import { CheckField, TextField } from '../../components/field.tsx'
import type { ChannelFieldInfo } from './type-info.ts'

interface SecretFieldProps {
  field: ChannelFieldInfo
  /** The last characters of the saved value. Undefined if there is none. */
  savedLastCharacters: string | undefined
  /** Whether the user must enter the secret again, because the address to which Belfry sends it has changed. */
  mustReenter: boolean
  isRemoved: boolean
  onRemoved: (isRemoved: boolean) => void
  value: string
  onValue: (text: string) => void
  errors: readonly string[] | undefined
}

export function SecretField(props: SecretFieldProps) {
  const { field, savedLastCharacters, mustReenter, isRemoved, onRemoved, value, onValue, errors } = props
  const isSaved = savedLastCharacters !== undefined
  const secretName = field.shortLabel ?? 'value'
  const hint = !isSaved
    ? field.hint
    : mustReenter
      ? 'Enter it again: Belfry sends the saved value only to the address it was saved for.'
      : `${field.hint} Leave empty to keep the saved value.`
  return (
    <div class="channel-secret">
      <TextField
        type="password"
        secretName={secretName}
        label={field.label}
        hint={hint}
        errors={errors}
        placeholder={
          !isSaved ? field.placeholder : mustReenter ? 'Enter the value again' : `Saved: ••••${savedLastCharacters}`
        }
        inputMode={field.inputMode}
        value={value}
        onValue={onValue}
        disabled={isRemoved}
        autocomplete="off"
      />
      {isSaved && field.isOptional && (
        <CheckField label={`Remove the saved ${secretName}`} checked={isRemoved} onValue={onRemoved} />
      )}
    </div>
  )
}
