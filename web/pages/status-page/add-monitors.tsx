/** The search field below a group. It finds monitors and adds them to the group. */
import { Layers, Plus } from 'lucide-preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../../components/icon.tsx'
import { StatusDot } from '../../components/status.tsx'
import { TagDot } from '../../components/tag-list.tsx'
import { pluralize } from '../../lib/format.ts'
import { describeTarget } from '../../lib/monitor-types.ts'
import type { OverviewMonitor } from '../../lib/queries.ts'
import { type AddOption, listAddOptions } from './list-add-options.ts'
import type { EditedGroups } from './page-order.ts'

interface AddMonitorsProps {
  groupName: string
  groups: EditedGroups
  monitors: readonly OverviewMonitor[] | undefined
  onAdd: (monitors: readonly OverviewMonitor[]) => void
}

export function AddMonitors({ groupName, groups, monitors, onAdd }: AddMonitorsProps) {
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [activeIndex, setActiveIndex] = useState<number>()
  const [announcement, setAnnouncement] = useState('')
  const list = useRef<HTMLDivElement>(null)
  const listId = useId()
  const options = isOpen && monitors ? listAddOptions(monitors, groups, text) : []
  const active = activeIndex === undefined ? undefined : options[activeIndex]

  useLayoutEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [activeIndex])

  function add({ monitors }: AddOption) {
    onAdd(monitors)
    setText('')
    setActiveIndex(undefined)
    const [only] = monitors
    const addedText = monitors.length === 1 && only ? only.friendly_name : pluralize(monitors.length, 'monitor')
    setAnnouncement(`${addedText} added to ${groupName}.`)
  }

  function onKeyDown(event: KeyboardEvent) {
    const { key } = event
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      setOpen(true)
      const step = key === 'ArrowDown' ? 1 : -1
      const start = activeIndex ?? (step === 1 ? -1 : options.length)
      if (options.length > 0) setActiveIndex((start + step + options.length) % options.length)
    } else if (key === 'Enter') {
      // Enter would otherwise save the whole page.
      if (active !== undefined) add(active)
    } else if (key === 'Escape' && isOpen) {
      setOpen(false)
      setActiveIndex(undefined)
    } else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div class="add-monitors">
      <Icon icon={Plus} size={15} />
      <input
        type="text"
        role="combobox"
        aria-label={`Add monitors to ${groupName}`}
        aria-expanded={isOpen}
        aria-controls={isOpen ? listId : undefined}
        aria-autocomplete="list"
        aria-activedescendant={active && `${listId}-${active.id}`}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        placeholder="Add by name, URL or tag"
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          setOpen(true)
          // While searching, Enter adds the first match.
          setActiveIndex(currentTarget.value.trim() === '' ? undefined : 0)
        }}
        onFocus={() => setOpen(true)}
        onClick={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      {isOpen && (
        <div ref={list} id={listId} class="add-monitors-list" role="listbox" aria-label="Monitors">
          {options.map((option) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
            <div
              key={option.id}
              id={`${listId}-${option.id}`}
              role="option"
              aria-selected={option === active}
              tabIndex={-1}
              // Otherwise the field would lose the focus, and the list would close before the click.
              onPointerDown={(event) => event.preventDefault()}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => add(option)}
            >
              <OptionIcon option={option} />
              <span class="clip">{option.label}</span>
              {option.monitor && <span class="clip muted small">{describeTarget(option.monitor)}</span>}
            </div>
          ))}
          {options.length === 0 && <p class="muted small">{describeEmptyList(monitors, text)}</p>}
        </div>
      )}
      <span class="hidden-text" role="status">
        {announcement}
      </span>
    </div>
  )
}

function OptionIcon({ option: { monitor, tag } }: { option: AddOption }) {
  if (monitor) return <StatusDot monitor={monitor} />
  return tag === undefined ? <Icon icon={Layers} size={14} /> : <TagDot tag={tag} />
}

function describeEmptyList(monitors: readonly OverviewMonitor[] | undefined, text: string): string {
  if (monitors === undefined) return 'Loading monitors…'
  if (text.trim() !== '') return 'No matching monitors'
  return monitors.length === 0 ? 'You have no monitors yet.' : 'All monitors are on the page.'
}
