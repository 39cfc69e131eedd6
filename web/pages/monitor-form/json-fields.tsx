/** The fields for assertions about the JSON in a response. */
import { Plus, X } from 'lucide-preact'
import { useRef } from 'preact/hooks'
import { MAX_JSON_ASSERTIONS } from '../../../src/shared/monitors.ts'
import { Button } from '../../components/button.tsx'
import { FieldGroup } from '../../components/field-group.tsx'
import { hasJsonValue, type JsonRow, type JsonRowOperator, jsonOperatorChoices } from './json-rows.ts'

interface JsonFieldsProps {
  rows: readonly JsonRow[]
  /** Errors of the whole list. */
  errors: readonly string[]
  /** Errors of one part of a row, such as `0.path`. */
  errorsOf: (part: string) => readonly string[]
  onRows: (rows: readonly JsonRow[]) => void
}

export function JsonFields({ rows, errors, errorsOf, onRows }: JsonFieldsProps) {
  const fieldset = useRef<HTMLFieldSetElement>(null)
  const focusSoon = (selector: string) =>
    requestAnimationFrame(() => fieldset.current?.querySelector<HTMLElement>(selector)?.focus())

  function add() {
    const key = Math.max(-1, ...rows.map((row) => row.key)) + 1
    onRows([...rows, { key, path: '', op: 'equals', value: '' }])
    focusSoon('li:last-child input')
  }

  function remove(key: number) {
    onRows(rows.filter((row) => row.key !== key))
    focusSoon('.monitor-form-add button')
  }

  return (
    <FieldGroup legend="JSON" errors={errors} fieldsetRef={fieldset}>
      <ol class="monitor-form-assertions">
        {rows.map((row, index) => (
          <AssertionRow
            key={row.key}
            row={row}
            number={index + 1}
            errorsOf={(part) => errorsOf(`${index}.${part}`)}
            onChange={(change) => onRows(rows.map((other) => (other === row ? { ...row, ...change } : other)))}
            onRemove={() => remove(row.key)}
          />
        ))}
      </ol>
      <div class="field-hint">
        Checks values in the response by JSONPath, such as <code>$.status</code> or <code>$.queues[0].length</code>. All
        assertions must match. Put a value in quotes to compare it as text: <code>"5"</code>.
      </div>
      {rows.length < MAX_JSON_ASSERTIONS && (
        <div class="monitor-form-add">
          <Button small icon={Plus} onClick={add}>
            Add assertion
          </Button>
        </div>
      )}
    </FieldGroup>
  )
}

interface AssertionRowProps {
  row: JsonRow
  number: number
  errorsOf: (part: 'path' | 'op' | 'value') => readonly string[]
  onChange: (change: Partial<JsonRow>) => void
  onRemove: () => void
}

function AssertionRow({ row, number, errorsOf, onChange, onRemove }: AssertionRowProps) {
  const name = `assertion ${number}`
  const errors = (['path', 'op', 'value'] as const).flatMap(errorsOf)
  const errorId = `json-error-${row.key}`
  const getProps = (part: 'path' | 'op' | 'value') => ({
    class: 'input',
    'aria-invalid': errorsOf(part).length > 0 || undefined,
    'aria-describedby': errors.length > 0 ? errorId : undefined,
  })
  const textProps = { autocomplete: 'off', autocapitalize: 'none' as const, spellcheck: false }
  return (
    <li>
      <input
        {...getProps('path')}
        {...textProps}
        aria-label={`Path of ${name}`}
        placeholder="$.status"
        value={row.path}
        onInput={(event) => onChange({ path: event.currentTarget.value })}
      />
      <select
        {...getProps('op')}
        aria-label={`Comparison of ${name}`}
        value={row.op}
        onChange={(event) => onChange({ op: event.currentTarget.value as JsonRowOperator })}
      >
        {jsonOperatorChoices.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      {hasJsonValue(row.op) && (
        <input
          {...getProps('value')}
          {...textProps}
          aria-label={`Value of ${name}`}
          placeholder="ok"
          value={row.value}
          onInput={(event) => onChange({ value: event.currentTarget.value })}
        />
      )}
      <Button kind="quiet" icon={X} aria-label={`Remove ${name}`} onClick={onRemove} />
      {errors.length > 0 && (
        <div class="field-error" id={errorId}>
          {errors.join(' ')}
        </div>
      )}
    </li>
  )
}
