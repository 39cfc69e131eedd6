/** Shows the messages of `showToast` at the bottom of the window. */
import { X } from 'lucide-preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { dismissToast, listToasts, onToastsChange } from '../lib/toasts.ts'
import { Icon } from './icon.tsx'

export function Toasts() {
  const [visibleToasts, setVisibleToasts] = useState(listToasts)
  const region = useRef<HTMLElement>(null)
  useEffect(() => onToastsChange(setVisibleToasts), [])
  /** Keeps the focus in the toast region, because the clicked button disappears with its toast. */
  function close(id: number) {
    region.current?.focus()
    dismissToast(id)
  }
  return (
    <section ref={region} class="toasts" aria-live="polite" aria-label="Messages" tabIndex={-1}>
      {visibleToasts.map(({ id, text, isError, action }) => (
        <div key={id} class={`toast${isError ? ' toast-bad' : ''}`}>
          <span>{text}</span>
          {action && (
            <button
              type="button"
              onClick={() => {
                close(id)
                action.run()
              }}
            >
              <span class="clip">{action.label}</span>
            </button>
          )}
          <button type="button" aria-label="Dismiss" onClick={() => close(id)}>
            <Icon icon={X} />
          </button>
        </div>
      ))}
    </section>
  )
}
