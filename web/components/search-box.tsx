/** A search field that filters the page's list. The / key focuses it. */
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { areShortcutsEnabled, hasModifier, isTyping } from '../lib/shortcuts.ts'

interface SearchBoxProps {
  label: string
  placeholder: string
  value: string
  onValue: (value: string) => void
  inputRef?: RefObject<HTMLInputElement>
}

export function SearchBox({ label, placeholder, value, onValue, inputRef }: SearchBoxProps) {
  const ownRef = useRef<HTMLInputElement>(null)
  const input = inputRef ?? ownRef
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.defaultPrevented || hasModifier(event) || isTyping(event)) return
      if (!areShortcutsEnabled() || document.querySelector('dialog[open]')) return
      event.preventDefault()
      input.current?.focus()
      input.current?.select()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [input])
  return (
    <input
      ref={input}
      type="search"
      class="input search-box"
      aria-label={label}
      aria-keyshortcuts={areShortcutsEnabled() ? '/' : undefined}
      placeholder={placeholder}
      autocomplete="off"
      spellcheck={false}
      value={value}
      onInput={(event) => onValue(event.currentTarget.value)}
    />
  )
}
