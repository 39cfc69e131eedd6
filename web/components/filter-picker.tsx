/**
 * A button that opens a list with one choice, which can be searched: below the button, or as a sheet at the bottom of a
 * phone's screen. `Menu` is for short lists.
 */
import { Check, ChevronDown, type LucideIcon } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { findNextRowIndex } from '../lib/shortcuts.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import './filter-picker.css'

export interface FilterChoice<T> {
  value: T
  label: string
  /** Further text that the search finds, such as a URL. */
  detail?: string
  icon?: ComponentChildren
}

interface FilterPickerProps<T> {
  /** The name of the filter, such as "Monitor". */
  label: string
  icon: LucideIcon
  choices: readonly FilterChoice<T>[]
  /** Undefined if the filter is not set. */
  value: T | undefined
  onValue: (value: T | undefined) => void
}

/** A list with thousands of monitors would open slowly. The search finds the others. */
const MAX_SHOWN_CHOICES = 100

export function FilterPicker<T extends string | number>(props: FilterPickerProps<T>) {
  const { label, icon, value } = props
  const [isOpen, setOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isOpen) return
    const closeOnOutsideClick = ({ target }: Event) => {
      if (target instanceof Node && !root.current?.contains(target)) setOpen(false)
    }
    document.addEventListener('pointerdown', closeOnOutsideClick)
    return () => document.removeEventListener('pointerdown', closeOnOutsideClick)
  }, [isOpen])

  const close = () => {
    setOpen(false)
    root.current?.querySelector('button')?.focus()
  }
  return (
    <div
      class="menu filter-picker"
      ref={root}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget instanceof Node && !root.current?.contains(relatedTarget)) setOpen(false)
      }}
    >
      <Button
        icon={icon}
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        aria-pressed={value !== undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {label}
        <Icon icon={ChevronDown} size={14} />
      </Button>
      {isOpen && <ChoiceList {...props} onClose={close} />}
    </div>
  )
}

/** The focus stays in the search field, whose `aria-activedescendant` is the active choice. */
function ChoiceList<T extends string | number>({
  label,
  choices,
  value,
  onValue,
  onClose,
}: FilterPickerProps<T> & { onClose: () => void }) {
  const [text, setText] = useState('')
  const list = useRef<HTMLDivElement>(null)
  const listId = useId()
  const foundChoices = findChoices(choices, text)
  const [activeIndex, setActiveIndex] = useState(() => Math.max(0, findIndex(foundChoices, value)))
  const input = useRef<HTMLInputElement>(null)
  // A layout effect, so that the field gets the keys that the user presses right after the list opens.
  useLayoutEffect(() => input.current?.focus(), [])
  useLayoutEffect(() => {
    list.current?.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest' })
  }, [activeIndex])

  function choose(choice: FilterChoice<T> | undefined) {
    if (choice === undefined) return
    onClose()
    onValue(choice.value === value ? undefined : choice.value)
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.isComposing) return
    const isMove = event.key === 'ArrowDown' || event.key === 'ArrowUp'
    const next = isMove ? findNextRowIndex(event.key, activeIndex, foundChoices.length) : undefined
    if (next !== undefined) setActiveIndex(next)
    else if (event.key === 'Enter') choose(foundChoices[activeIndex])
    else if (event.key === 'Escape') onClose()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div class="menu-list filter-picker-list">
      <input
        ref={input}
        class="input"
        type="text"
        role="combobox"
        aria-label={`Search: ${label}`}
        aria-expanded="true"
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={foundChoices.length > 0 ? `${listId}-${activeIndex}` : undefined}
        placeholder="Search…"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setActiveIndex(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id={listId} role="listbox" aria-label={label}>
        {foundChoices.map((choice, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the search field handles the keys
          <div
            key={choice.value}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            onMouseDown={(event) => event.preventDefault()}
            aria-selected={choice.value === value}
            data-active={index === activeIndex ? '' : undefined}
            onPointerMove={() => setActiveIndex(index)}
            onClick={() => choose(choice)}
          >
            {choice.icon}
            <span class="filter-picker-label">
              <span class="clip">{choice.label}</span>
              {choice.detail && <span class="clip muted">{choice.detail}</span>}
            </span>
            {choice.value === value && <Icon icon={Check} />}
          </div>
        ))}
      </div>
      {foundChoices.length === 0 && (
        <p class="menu-note muted small" role="status">
          No results
        </p>
      )}
    </div>
  )
}

const findIndex = <T,>(choices: readonly FilterChoice<T>[], value: T | undefined) =>
  choices.findIndex((choice) => choice.value === value)

function findChoices<T>(choices: readonly FilterChoice<T>[], text: string): FilterChoice<T>[] {
  const term = text.trim().toLowerCase()
  return choices
    .filter(({ label, detail = '' }) => `${label}\n${detail}`.toLowerCase().includes(term))
    .slice(0, MAX_SHOWN_CHOICES)
}
