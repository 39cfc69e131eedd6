/** The fields for request headers. The server returns only the last characters of saved values. */
import { Plus, X } from 'lucide-preact'
import { useRef } from 'preact/hooks'
import { MAX_REQUEST_HEADERS } from '../../../src/shared/monitors.ts'
import { Button } from '../../components/button.tsx'
import { FieldGroup } from '../../components/field-group.tsx'
import { Icon } from '../../components/icon.tsx'
import { Notice } from '../../components/notice.tsx'
import type { HeaderRow } from './values.ts'

interface HeaderFieldsProps {
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

export function HeaderFields({ rows, errors, mustReenter, onRows }: HeaderFieldsProps) {
  const fieldset = useRef<HTMLFieldSetElement>(null)
  const update = (key: number, change: Partial<HeaderRow>) =>
    onRows(rows.map((row) => (row.key === key ? { ...row, ...change } : row)))

  function add() {
    const key = Math.max(-1, ...rows.map((row) => row.key)) + 1
    onRows([...rows, { key, name: '', value: '' }])
    requestAnimationFrame(() => fieldset.current?.querySelector<HTMLElement>('li:last-child input')?.focus())
  }

  function remove(key: number) {
    onRows(rows.filter((row) => row.key !== key))
    requestAnimationFrame(() => fieldset.current?.querySelector<HTMLElement>('.monitor-form-add')?.focus())
  }

  return (
    <FieldGroup legend="Headers" errors={errors} fieldsetRef={fieldset}>
      <ul class="monitor-form-headers">
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
      {mustReenter && rows.some(({ savedLastCharacters }) => savedLastCharacters !== undefined) && (
        <Notice tone="warn" role="status">
          Enter the saved values again, or remove these headers. Saved values may be secrets, so Belfry doesn't send
          them to another server, or to one whose certificate isn't verified.
        </Notice>
      )}
      <div class="field-hint">
        Sent with every check, such as for authentication. Values are encrypted, and only the last few characters are
        shown. {!mustReenter && 'To keep a saved value, leave its field empty.'}
      </div>
      {rows.length < MAX_REQUEST_HEADERS && (
        <div>
          <button type="button" class="button button-plain button-small monitor-form-add" onClick={add}>
            <Icon icon={Plus} />
            Add header
          </button>
        </div>
      )}
    </FieldGroup>
  )
}
