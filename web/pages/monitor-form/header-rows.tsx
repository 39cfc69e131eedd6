/** Headers, of which the server shows only the ends of the values that it keeps. */
import { useRef } from 'preact/hooks'
import { MAX_REQUEST_HEADERS } from '../../../src/shared/monitors.ts'
import { Button } from '../../components/button.tsx'
import { FieldGroup } from '../../components/field-group.tsx'
import type { HeaderRow } from './values.ts'

interface HeaderRowsProps {
  rows: readonly HeaderRow[]
  errors: readonly string[]
  onRows: (rows: readonly HeaderRow[]) => void
}

const placeholderOf = ({ keptEnd }: HeaderRow) => (keptEnd === undefined ? 'Value' : `Kept: ••••${keptEnd}`)

export function HeaderRows({ rows, errors, onRows }: HeaderRowsProps) {
  const box = useRef<HTMLFieldSetElement>(null)
  const change = (key: number, over: Partial<HeaderRow>) =>
    onRows(rows.map((row) => (row.key === key ? { ...row, ...over } : row)))

  function add() {
    const key = Math.max(-1, ...rows.map((row) => row.key)) + 1
    onRows([...rows, { key, name: '', value: '' }])
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>('li:last-child input')?.focus())
  }

  function remove(key: number) {
    onRows(rows.filter((row) => row.key !== key))
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>('.monitor-form-add')?.focus())
  }

  return (
    <FieldGroup legend="Headers" errors={errors} fieldsetRef={box}>
      <ul class="monitor-form-headers">
        {rows.map((row, place) => (
          <li key={row.key}>
            <input
              class="input"
              aria-label={`Name of header ${place + 1}`}
              aria-invalid={errors.length > 0 || undefined}
              placeholder="Name"
              value={row.name}
              // The kept value belongs to this name: under another one it would have to be typed anyway.
              readOnly={row.keptEnd !== undefined}
              autocomplete="off"
              spellcheck={false}
              onInput={(event) => change(row.key, { name: event.currentTarget.value })}
            />
            <input
              class="input"
              aria-label={`Value of ${row.name.trim() || `header ${place + 1}`}`}
              placeholder={placeholderOf(row)}
              value={row.value}
              autocomplete="off"
              spellcheck={false}
              onInput={(event) => change(row.key, { value: event.currentTarget.value })}
            />
            <Button
              kind="quiet"
              aria-label={`Remove ${row.name.trim() || `header ${place + 1}`}`}
              onClick={() => remove(row.key)}
            >
              ✕
            </Button>
          </li>
        ))}
      </ul>
      <div class="field-hint">
        Sent with each check, for instance to sign in. Values are kept encrypted; of a kept one only the end is shown,
        and it stays unless you type another.
      </div>
      {rows.length < MAX_REQUEST_HEADERS && (
        <div>
          <button type="button" class="button button-plain button-small monitor-form-add" onClick={add}>
            Add a header
          </button>
        </div>
      )}
    </FieldGroup>
  )
}
