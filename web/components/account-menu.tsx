import { useEffect, useRef, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { signOut } from '../lib/sign-out.ts'
import { Button } from './button.tsx'
import { showProblem } from './toasts.tsx'

export function AccountMenu({ email }: { email: string }) {
  const [isOpen, setOpen] = useState(false)
  const menu = useRef<HTMLDivElement>(null)

  useEffect(() => {
    if (!isOpen) return
    const closeOnEscapeOrOutsideClick = (event: Event) => {
      const isOutside = event.target instanceof Node && !menu.current?.contains(event.target)
      const isEscape = event instanceof KeyboardEvent && event.key === 'Escape'
      if (isEscape) menu.current?.querySelector('button')?.focus()
      if (isEscape || (isOutside && event.type === 'pointerdown')) setOpen(false)
    }
    document.addEventListener('pointerdown', closeOnEscapeOrOutsideClick)
    document.addEventListener('keydown', closeOnEscapeOrOutsideClick)
    return () => {
      document.removeEventListener('pointerdown', closeOnEscapeOrOutsideClick)
      document.removeEventListener('keydown', closeOnEscapeOrOutsideClick)
    }
  }, [isOpen])

  return (
    <div
      class="menu"
      ref={menu}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget instanceof Node && !menu.current?.contains(relatedTarget)) setOpen(false)
      }}
    >
      <Button kind="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Account <span aria-hidden="true">▾</span>
      </Button>
      {isOpen && (
        <div class="menu-list">
          <p class="muted small clip menu-note">{email}</p>
          <Link href="/account" onClick={() => setOpen(false)}>
            Change password
          </Link>
          <a href="docs" target="_blank" rel="noreferrer">
            API documentation
          </a>
          <button type="button" onClick={() => void signOut().catch(showProblem)}>
            Sign out
          </button>
        </div>
      )}
    </div>
  )
}
