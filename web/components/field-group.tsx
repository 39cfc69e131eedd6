import type { ComponentChildren, Ref } from 'preact'
import { useId } from 'preact/hooks'

interface FieldGroupProps {
  legend: ComponentChildren
  /** Where a heading right above says it to the eye. */
  isLegendHidden?: boolean
  errors?: readonly string[] | undefined
  box?: Ref<HTMLFieldSetElement>
  children: ComponentChildren
}

/** Controls that are one question together, and what is wrong with the answer. */
export function FieldGroup({ legend, isLegendHidden = false, errors = [], box, children }: FieldGroupProps) {
  const id = useId()
  const isWrong = errors.length > 0
  return (
    <fieldset class="field" ref={box ?? null} aria-describedby={isWrong ? id : undefined}>
      <legend class={isLegendHidden ? 'hidden-text' : undefined}>{legend}</legend>
      {children}
      {isWrong && (
        <div class="field-error" id={id} role="alert">
          {errors.join(' ')}
        </div>
      )}
    </fieldset>
  )
}
