/** The fields for request headers. The server returns only the last characters of saved values. */
import { Plus, X } from 'lucide-preact'
import { useRef } from 'preact/hooks'
import type { HeaderRow } from '../lib/header-rows.ts'
import { Button } from './button.tsx'
import { FieldGroup } from './field-group.tsx'
import { Icon } from './icon.tsx'
import { Notice } from './notice.tsx'
import './header-fields.css'

interface HeaderFieldsProps {
  legend?: string
  /** What the headers are for. */
  hint: string
  /** Why saved values have to be entered again. */
  reentryReason: string
  maxRows: number
  rows: readonly HeaderRow[]
  errors: readonly string[]
  /** Whether saved values have to be entered again. */
  mustReenter: boolean
  onRows: (rows: readonly HeaderRow[]) => void
}

function describeSavedValue({ savedLastCharacters }: HeaderRow, mustReenter: boolean): string {
  if (savedLastCharacters === undefined) return 'Value'
  return mustReenter ? 'Enter the value again' : `Saved: ••••${savedLastCharacters}`
}

export function HeaderFields({
  legend = 'Headers',
  hint,
  reentryReason,
  maxRows,
  rows,
  errors,
  mustReenter,
  onRows,
}: HeaderFieldsProps) {
  const fieldset = useRef<HTMLFieldSetElement>(null)
  const hasSavedValues = rows.some(({ savedLastCharacters }) => savedLastCharacters !== undefined)
  const update = (key: number, change: Partial<HeaderRow>) =>
    onRows(rows.map((row) => (row.key === key ? { ...row, ...change } : row)))

  function add() {
    const key = Math.max(-1, ...rows.map((row) => row.key)) + 1
    onRows([...rows, { key, name: '', value: '' }])
    requestAnimationFrame(() => fieldset.current?.querySelector<HTMLElement>('li:last-child input')?.focus())
  }

  function remove(key: number) {
    onRows(rows.filter((row) => row.key !== key))
    requestAnimationFrame(() => fieldset.current?.querySelector<HTMLElement>('.header-add')?.focus())
  }

  return (
    <FieldGroup legend={legend} errors={errors} fieldsetRef={fieldset}>
      <ul class="header-rows">
        {rows.map((row, index) => (
          <li key={row.key}>
            <input
              class="input"
              aria-label={`Name of header ${index + 1}`}
              aria-invalid={errors.length > 0 || undefined}
              placeholder="Name"
              value={row.name}
              // The server finds the saved value by the header's name, so a renamed header would lose its value.
              readOnly={row.savedLastCharacters !== undefined}
              autocomplete="off"
              spellcheck={false}
              onInput={(event) => update(row.key, { name: event.currentTarget.value })}
            />
            <input
              class="input"
              aria-label={`Value of ${row.name.trim() || `header ${index + 1}`}`}
              placeholder={describeSavedValue(row, mustReenter)}
              value={row.value}
              autocomplete="off"
              spellcheck={false}
              onInput={(event) => update(row.key, { value: event.currentTarget.value })}
            />
            <Button
              kind="quiet"
              icon={X}
              aria-label={`Remove ${row.name.trim() || `header ${index + 1}`}`}
              onClick={() => remove(row.key)}
            />
          </li>
        ))}
      </ul>
      {mustReenter && hasSavedValues && (
        <Notice tone="warn" role="status">
          Enter the saved values again, or remove these headers. {reentryReason}
        </Notice>
      )}
      <div class="field-hint">
        {hint} Values are encrypted, and only the last few characters are shown.{' '}
        {hasSavedValues && !mustReenter && 'To keep a saved value, leave its field empty.'}
      </div>
      {rows.length < maxRows && (
        <div>
          <button type="button" class="button button-plain button-small header-add" onClick={add}>
            <Icon icon={Plus} />
            Add header
          </button>
        </div>
      )}
    </FieldGroup>
  )
}
