/** Chooses a time zone: a field that searches cities, regions and offsets. The focus stays in the field. */
import { ChevronsUpDown } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import {
  formatTimeZone,
  getShownOffset,
  listTimeZones,
  searchTimeZones,
  type TimeZoneChoice,
  toTimeZoneChoice,
} from '../lib/time-zone-choices.ts'
import { Field } from './field.tsx'
import { Icon } from './icon.tsx'
import './time-zone-field.css'

interface TimeZoneFieldProps {
  label: ComponentChildren
  hint?: ComponentChildren
  errors?: readonly string[] | undefined
  /** An IANA name, or empty for `emptyLabel`. */
  value: string
  onValue: (name: string) => void
  /** Offers an empty value with this label. */
  emptyLabel?: string
}

export function TimeZoneField({ label, hint, errors, value, onValue, emptyLabel }: TimeZoneFieldProps) {
  /** What the user has typed. Undefined while the list is closed. */
  const [text, setText] = useState<string>()
  const [activeIndex, setActiveIndex] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const isOpen = text !== undefined
  const chosenLabel = value === '' ? (emptyLabel ?? '') : formatTimeZone(toTimeZoneChoice(value))
  /** Empty until the list is open, because computing the offsets of all zones takes some milliseconds. */
  const [zones, setZones] = useState<readonly TimeZoneChoice[]>([])
  const options = useMemo(() => listOptions(zones, text ?? '', emptyLabel), [zones, text, emptyLabel])
  const active = options[Math.min(activeIndex, options.length - 1)]

  useLayoutEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [active?.name, isOpen])

  function open(nextText: string) {
    const nextZones = isOpen ? zones : listTimeZones(value)
    setZones(nextZones)
    setText(nextText)
    // The list opens at the chosen zone. While the user types, the best match is active.
    const chosenName = value === '' ? '' : toTimeZoneChoice(value).name
    const chosenIndex = listOptions(nextZones, '', emptyLabel).findIndex(({ name }) => name === chosenName)
    setActiveIndex(nextText === '' ? Math.max(0, chosenIndex) : 0)
  }

  function choose(name: string) {
    onValue(name)
    setText(undefined)
  }

  function onKeyDown(event: KeyboardEvent) {
    const { key } = event
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      if (!isOpen) open('')
      else if (options.length > 0) {
        const step = key === 'ArrowDown' ? 1 : -1
        setActiveIndex((Math.min(activeIndex, options.length - 1) + step + options.length) % options.length)
      }
    } else if (key === 'Enter' && isOpen) {
      if (active !== undefined) choose(active.name)
    } else if (key === 'Escape' && isOpen) setText(undefined)
    else return
    // Enter would otherwise submit the form, and Escape would close the dialog around the field.
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <Field label={label} hint={hint} errors={errors}>
      {(control) => (
        <div class="time-zone">
          <input
            {...control}
            type="text"
            class="input"
            role="combobox"
            aria-expanded={isOpen}
            aria-controls={isOpen ? `${control.id}-list` : undefined}
            aria-autocomplete="list"
            aria-activedescendant={isOpen && active ? `${control.id}-${active.name}` : undefined}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            placeholder={isOpen ? 'Search city or offset' : undefined}
            value={text ?? chosenLabel}
            onInput={({ currentTarget }) => open(currentTarget.value)}
            onFocus={({ currentTarget }) => currentTarget.select()}
            onClick={() => isOpen || open('')}
            onBlur={() => setText(undefined)}
            onKeyDown={onKeyDown}
          />
          <Icon icon={ChevronsUpDown} size={14} />
          {isOpen && (
            <div ref={list} id={`${control.id}-list`} class="time-zone-list" role="listbox" aria-label="Time zones">
              {options.map((option) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
                <div
                  key={option.name}
                  id={`${control.id}-${option.name}`}
                  role="option"
                  aria-selected={option === active}
                  tabIndex={-1}
                  // Otherwise the field would lose the focus, and the list would close before the click.
                  onPointerDown={(event) => event.preventDefault()}
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => choose(option.name)}
                >
                  <span class="clip">
                    {option.city} <span class="muted small">{option.region}</span>
                  </span>
                  <span class="numbers muted small">{getShownOffset(option)}</span>
                </div>
              ))}
            </div>
          )}
          <span class="hidden-text" role="status">
            {isOpen && options.length === 0 ? 'No matching time zones' : ''}
          </span>
          {isOpen && options.length === 0 && (
            <p class="time-zone-list muted small" aria-hidden="true">
              No matching time zones
            </p>
          )}
        </div>
      )}
    </Field>
  )
}

function listOptions(
  zones: readonly TimeZoneChoice[],
  text: string,
  emptyLabel: string | undefined,
): readonly TimeZoneChoice[] {
  const matches = searchTimeZones(zones, text)
  if (emptyLabel === undefined || text.trim() !== '') return matches
  return [{ name: '', city: emptyLabel, region: '', offset: '' }, ...matches]
}
