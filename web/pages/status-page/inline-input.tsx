/** A text field that looks like plain text until the user points at it or edits it. */
import { CircleAlert } from 'lucide-preact'
import { useId } from 'preact/hooks'
import { Icon } from '../../components/icon.tsx'

interface InlineInputProps {
  /** For screen readers. */
  label: string
  class?: string
  placeholder: string
  maxLength: number
  value: string
  errors?: readonly string[] | undefined
  onValue: (value: string) => void
}

export function InlineInput({ label, class: className = '', errors = [], value, onValue, ...rest }: InlineInputProps) {
  const id = useId()
  const hasErrors = errors.length > 0
  return (
    <div class={`inline-input ${className}`}>
      <input
        {...rest}
        type="text"
        class="input"
        aria-label={label}
        aria-invalid={hasErrors || undefined}
        aria-describedby={hasErrors ? id : undefined}
        autocomplete="off"
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      {hasErrors && (
        <div class="field-error" id={id}>
          <Icon icon={CircleAlert} size={14} />
          {errors.join(' ')}
        </div>
      )}
    </div>
  )
}
