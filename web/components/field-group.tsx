import { CircleAlert } from 'lucide-preact'
import type { ComponentChildren, Ref } from 'preact'
import { useId } from 'preact/hooks'
import { Icon } from './icon.tsx'

interface FieldGroupProps {
  legend: ComponentChildren
  /** Set for a group right below a heading with the same text. Screen readers still read the legend. */
  isLegendHidden?: boolean
  errors?: readonly string[] | undefined
  fieldsetRef?: Ref<HTMLFieldSetElement>
  children: ComponentChildren
}

/** Several controls under one legend, with shared error messages. */
export function FieldGroup({ legend, isLegendHidden = false, errors = [], fieldsetRef, children }: FieldGroupProps) {
  const id = useId()
  const hasErrors = errors.length > 0
  return (
    <fieldset class="field" ref={fieldsetRef ?? null} aria-describedby={hasErrors ? id : undefined}>
      <legend class={isLegendHidden ? 'hidden-text' : undefined}>{legend}</legend>
      {children}
      {hasErrors && (
        <div class="field-error" id={id} role="alert">
          <Icon icon={CircleAlert} size={14} />
          {errors.join(' ')}
        </div>
      )}
    </fieldset>
  )
}
