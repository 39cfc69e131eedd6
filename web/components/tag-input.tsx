/** A field for tags. Enter or a comma adds the typed tag, Backspace in the empty field removes the last one. */
import { X } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { MAX_TAG_LENGTH, MAX_TAGS } from '../../src/shared/tags.ts'
import { addTagsFromText, hasTag, mergeTags, toTagKey, useKnownTags, withoutTag } from '../lib/tags.ts'
import { Field } from './field.tsx'
import { Icon } from './icon.tsx'
import { TagDot } from './tag-list.tsx'
import './tags.css'

interface TagInputProps {
  label: ComponentChildren
  hint?: ComponentChildren
  errors?: readonly string[] | undefined
  value: readonly string[]
  onValue: (tags: string[]) => void
  /** Tags to suggest. Default: those of all monitors and websites. */
  suggestions?: readonly string[]
}

const MAX_SUGGESTIONS = 8

export function TagInput({ label, hint, errors = [], value, onValue, suggestions }: TagInputProps) {
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [activeIndex, setActiveIndex] = useState<number>()
  const [announcement, setAnnouncement] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const listId = useId()
  const knownTags = useKnownTags()
  const isFull = value.length >= MAX_TAGS
  const matches = isFull
    ? []
    : (suggestions ?? knownTags.map(({ tag }) => tag))
        .filter((tag) => !hasTag(value, tag) && toTagKey(tag).includes(toTagKey(text)))
        .slice(0, MAX_SUGGESTIONS)
  const isListShown = isOpen && matches.length > 0
  const fullError = isFull && text.trim() !== '' ? [`At most ${MAX_TAGS} tags`] : []

  const addText = (typedText: string) => apply(addTagsFromText(value, typedText))
  /** Adds the tag as it is, because an existing tag can contain a comma: programs can create such tags. */
  const addTag = (tag: string) => apply({ tags: mergeTags(value, [tag]), rest: '' })
  function apply({ tags, rest }: { tags: string[]; rest: string }) {
    setActiveIndex(undefined)
    setText(rest)
    if (tags.length === value.length) return
    setAnnouncement(`${tags.slice(value.length).join(', ')} added`)
    onValue(tags)
  }
  function remove(tag: string) {
    onValue(withoutTag(value, tag))
    setAnnouncement(`${tag} removed`)
    input.current?.focus()
  }
  function onKeyDown(event: KeyboardEvent) {
    const { key } = event
    if (key === 'Enter' && (text.trim() !== '' || activeIndex !== undefined)) {
      event.preventDefault()
      const suggestion = activeIndex === undefined ? undefined : matches[activeIndex]
      if (suggestion === undefined) addText(text)
      else addTag(suggestion)
    } else if (key === 'Backspace' && text === '' && value.length > 0) {
      event.preventDefault()
      remove(value.at(-1) as string)
    } else if ((key === 'ArrowDown' || key === 'ArrowUp') && matches.length > 0) {
      event.preventDefault()
      setOpen(true)
      const step = key === 'ArrowDown' ? 1 : -1
      const start = activeIndex ?? (step === 1 ? -1 : matches.length)
      setActiveIndex((start + step + matches.length) % matches.length)
    } else if (key === 'Escape' && isListShown) {
      event.preventDefault()
      event.stopPropagation()
      setOpen(false)
      setActiveIndex(undefined)
    }
  }

  return (
    <Field label={label} hint={hint} errors={[...errors, ...fullError]}>
      {(control) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: a click beside the chips focuses the field, as in every text field
        // biome-ignore lint/a11y/useKeyWithClickEvents: the Tab key focuses the field
        <div
          class="input tag-input"
          onClick={({ target, currentTarget }) => target === currentTarget && input.current?.focus()}
        >
          {value.map((tag) => (
            <span key={tag} class="chip">
              <TagDot tag={tag} />
              <span class="clip">{tag}</span>
              <button
                type="button"
                class="tag-input-remove"
                aria-label={`Remove tag ${tag}`}
                onClick={() => remove(tag)}
              >
                <Icon icon={X} size={12} />
              </button>
            </span>
          ))}
          <input
            {...control}
            ref={input}
            type="text"
            role="combobox"
            aria-expanded={isListShown}
            aria-controls={isListShown ? listId : undefined}
            aria-autocomplete="list"
            aria-activedescendant={isListShown && activeIndex !== undefined ? `${listId}-${activeIndex}` : undefined}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            maxLength={MAX_TAG_LENGTH}
            placeholder={value.length === 0 ? 'Add a tag' : undefined}
            value={text}
            onInput={({ currentTarget }) => {
              setOpen(true)
              setActiveIndex(undefined)
              if (currentTarget.value.includes(',')) addText(currentTarget.value)
              else setText(currentTarget.value)
            }}
            onPaste={(event) => {
              const pastedText = event.clipboardData?.getData('text') ?? ''
              if (!/[,\n]/.test(pastedText)) return
              // The browser would cut off a long pasted list at the maximum length of one tag.
              event.preventDefault()
              addText(`${text}${pastedText}`)
            }}
            onFocus={() => setOpen(true)}
            onBlur={() => {
              setOpen(false)
              // When the user leaves the field, a tag that was typed without Enter is added.
              addText(text)
            }}
            onKeyDown={onKeyDown}
          />
          {isListShown && (
            <div id={listId} class="tag-suggestions" role="listbox" aria-label="Existing tags">
              {matches.map((tag, index) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
                <div
                  key={tag}
                  id={`${listId}-${index}`}
                  role="option"
                  aria-selected={index === activeIndex}
                  tabIndex={-1}
                  // Otherwise the field would lose the focus, and the list would close before the click.
                  onPointerDown={(event) => event.preventDefault()}
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => addTag(tag)}
                >
                  <TagDot tag={tag} />
                  <span class="clip">{tag}</span>
                </div>
              ))}
            </div>
          )}
          <span class="hidden-text" role="status">
            {announcement}
          </span>
        </div>
      )}
    </Field>
  )
}
