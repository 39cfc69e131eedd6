/**
 * The list of the palette's results. The focus stays in the search field, whose `aria-activedescendant` is the active
 * option.
 */
import { CircleAlert, CornerDownLeft, UserCheck } from 'lucide-preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from '../components/icon.tsx'
import { SiteIcon } from '../components/site-icon.tsx'
import { StatusDot } from '../components/status.tsx'
import type { MatchRange } from './fuzzy.ts'
import type { PaletteItem } from './item.ts'
import type { PaletteSection } from './sections.ts'

interface ResultListProps {
  sections: readonly PaletteSection[]
  /** Shown above the sections if nothing was found. */
  emptyText: string | undefined
  activeItem: PaletteItem | undefined
  onHover: (item: PaletteItem) => void
  onChoose: (item: PaletteItem, inNewTab: boolean) => void
}

export function ResultList({ sections, emptyText, activeItem, onHover, onChoose }: ResultListProps) {
  const list = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [activeItem?.id])
  return (
    <>
      {emptyText !== undefined && <p class="palette-empty">{emptyText}</p>}
      <div ref={list} id="palette-results" class="palette-results" role="listbox" aria-label="Results">
        {sections.map(({ title, results }) => (
          // biome-ignore lint/a11y/useSemanticElements: a listbox can't contain a fieldset
          <div key={title} role="group" aria-label={title}>
            <div class="palette-title" aria-hidden="true">
              {title}
            </div>
            {results.map(({ item, ranges }) => (
              <Option
                key={item.id}
                item={item}
                ranges={ranges}
                isActive={item === activeItem}
                onHover={onHover}
                onChoose={onChoose}
              />
            ))}
          </div>
        ))}
      </div>
    </>
  )
}

interface OptionProps extends Pick<ResultListProps, 'onHover' | 'onChoose'> {
  item: PaletteItem
  ranges: readonly MatchRange[]
  isActive: boolean
}

function Option({ item, ranges, isActive, onHover, onChoose }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the search field handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the search field
    <div
      id={`palette-${item.id}`}
      class="palette-option"
      role="option"
      aria-selected={isActive}
      onPointerMove={() => isActive || onHover(item)}
      // Keeps the focus in the search field.
      onMouseDown={(event) => event.preventDefault()}
      onClick={(event) => onChoose(item, event.ctrlKey || event.metaKey)}
    >
      <OptionIcon icon={item.icon} />
      <span class="clip palette-label">
        <HighlightedText text={item.label} ranges={ranges} />
      </span>
      {item.detail !== undefined && <span class="clip palette-detail">{item.detail}</span>}
      {isActive && (
        <span class="palette-enter">
          <Icon icon={CornerDownLeft} size={13} />
        </span>
      )}
    </div>
  )
}

function OptionIcon({ icon }: Pick<PaletteItem, 'icon'>) {
  return (
    <span class="palette-icon">
      {'website' in icon ? (
        <SiteIcon website={icon.website} />
      ) : 'monitor' in icon ? (
        <StatusDot monitor={icon.monitor} />
      ) : 'incident' in icon ? (
        <Icon icon={icon.incident.acknowledged_at === null ? CircleAlert : UserCheck} />
      ) : (
        <Icon icon={icon} />
      )}
    </span>
  )
}

function HighlightedText({ text, ranges }: { text: string; ranges: readonly MatchRange[] }) {
  const parts = ranges.flatMap(([start, end], index) => [
    text.slice(ranges[index - 1]?.[1] ?? 0, start),
    <mark key={start}>{text.slice(start, end)}</mark>,
  ])
  return (
    <>
      {parts}
      {text.slice(ranges.at(-1)?.[1] ?? 0)}
    </>
  )
}
