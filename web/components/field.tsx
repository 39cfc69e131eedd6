/** Form controls with a label, hint and errors, linked by ARIA attributes for screen readers. */
import { CircleAlert, Eye, EyeOff } from 'lucide-preact'
import type { ComponentChildren, JSX } from 'preact'
import { useId, useState } from 'preact/hooks'
import { Icon } from './icon.tsx'

interface FieldTexts {
  label: ComponentChildren
  hint?: ComponentChildren
  errors?: readonly string[] | undefined
}

interface ControlProps {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': boolean | undefined
}

interface FieldProps extends FieldTexts {
  children: (control: ControlProps) => ComponentChildren
}

export function Field({ label, hint, errors = [], children }: FieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(buildControlProps(id, hint, errors))}
      <Notes id={id} hint={hint} errors={errors} />
    </div>
  )
}

function buildControlProps(id: string, hint: ComponentChildren, errors: readonly string[]): ControlProps {
  const describedBy = [hint != null && `${id}-hint`, errors.length > 0 && `${id}-error`].filter(Boolean).join(' ')
  return { id, 'aria-describedby': describedBy || undefined, 'aria-invalid': errors.length > 0 || undefined }
}

function Notes({ id, hint, errors }: { id: string; hint: ComponentChildren; errors: readonly string[] }) {
  return (
    <>
      {hint != null && (
        <div class="field-hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
      {errors.length > 0 && (
        <div class="field-error" id={`${id}-error`}>
          <Icon icon={CircleAlert} size={14} />
          {errors.join(' ')}
        </div>
      )}
    </>
  )
}

type InputProps = Omit<JSX.IntrinsicElements['input'], 'label' | 'value' | 'onInput' | 'onChange'>

export function TextField({
  label,
  hint,
  errors,
  value,
  onValue,
  type = 'text',
  secretName = 'password',
  ...rest
}: FieldTexts &
  InputProps & {
    value: string
    onValue: (value: string) => void
    /** What a field of type `password` contains: the button beside it shows or hides this. */
    secretName?: string
  }) {
  return (
    <Field label={label} hint={hint} errors={errors}>
      {(control) => {
        const props: JSX.IntrinsicElements['input'] = {
          ...rest,
          ...control,
          class: 'input',
          value,
          onInput: (event) => onValue(event.currentTarget.value),
        }
        return type === 'password' ? (
          <SecretInput {...props} secretName={secretName} />
        ) : (
          <input {...props} type={type} />
        )
      }}
    </Field>
  )
}

export function TextAreaField({
  label,
  hint,
  errors,
  value,
  onValue,
  ...rest
}: FieldTexts &
  Omit<JSX.IntrinsicElements['textarea'], 'label' | 'value' | 'onInput'> & {
    value: string
    onValue: (value: string) => void
  }) {
  return (
    <Field label={label} hint={hint} errors={errors}>
      {(control) => (
        <textarea
          {...rest}
          {...control}
          class="input"
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

export interface SelectOption<T extends string = string> {
  value: T
  label: string
}

export function SelectField<T extends string>({
  label,
  hint,
  errors,
  value,
  choices,
  onValue,
  disabled = false,
  autofocus = false,
}: FieldTexts & {
  value: T
  choices: readonly SelectOption<T>[]
  onValue: (value: T) => void
  disabled?: boolean
  autofocus?: boolean
}) {
  return (
    <Field label={label} hint={hint} errors={errors}>
      {(control) => (
        <select
          {...control}
          class="input"
          value={value}
          disabled={disabled}
          autofocus={autofocus}
          onChange={(event) => onValue(event.currentTarget.value as T)}
        >
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

export function CheckField({
  label,
  hint,
  errors = [],
  checked,
  onValue,
  disabled,
  isSwitch = false,
}: FieldTexts & {
  checked: boolean
  onValue: (checked: boolean) => void
  disabled?: boolean
  /** Set for a single setting that is on or off, rather than one of several items to select. */
  isSwitch?: boolean
}) {
  const id = useId()
  return (
    <div class={isSwitch ? 'check check-switch' : 'check'}>
      <input
        {...buildControlProps(id, hint, errors)}
        type="checkbox"
        {...(isSwitch && { class: 'switch', role: 'switch' as const })}
        checked={checked}
        disabled={disabled ?? false}
        onChange={(event) => onValue(event.currentTarget.checked)}
      />
      <div>
        <label for={id}>{label}</label>
        <Notes id={id} hint={hint} errors={errors} />
      </div>
    </div>
  )
}

/** A password or another secret, with a button that shows what the user has typed. */
function SecretInput({ secretName, ...props }: JSX.IntrinsicElements['input'] & { secretName: string }) {
  const [isShown, setShown] = useState(false)
  return (
    <div class="input-with-button">
      <input autocapitalize="none" spellcheck={false} {...props} type={isShown ? 'text' : 'password'} />
      <button type="button" class="input-button" onClick={() => setShown(!isShown)}>
        <Icon icon={isShown ? EyeOff : Eye} />
        <span class="hidden-text">{`${isShown ? 'Hide' : 'Show'} ${secretName}`}</span>
      </button>
    </div>
  )
}
