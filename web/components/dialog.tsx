import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { toApiProblem, type ApiProblem } from '../lib/api.ts'
import { Button } from './button.tsx'
import { TextField } from './field.tsx'
import { focusHeading } from './page.tsx'
import { ProblemNotice } from './problem-notice.tsx'

interface DialogProps {
  title: string
  /** Without it only what is inside closes it: what it shows is not to be lost by a key. */
  onClose?: () => void
  /** Nothing of the page behind it is seen. */
  isCovering?: boolean
  children: ComponentChildren
}

/** Open as long as it is rendered. The browser keeps the focus inside, and gives it back. */
export function Dialog({ title, onClose, isCovering = false, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    return () => {
      dialog?.close()
      keepFocus()
    }
  }, [])
  useEffect(() => {
    if (onClose !== undefined) return
    // Asked twice, a browser closes it all the same.
    const keepOpen = (event: KeyboardEvent) => event.key === 'Escape' && event.preventDefault()
    document.addEventListener('keydown', keepOpen, true)
    return () => document.removeEventListener('keydown', keepOpen, true)
  }, [onClose === undefined])
  return (
    <dialog
      ref={element}
      class={`dialog${isCovering ? ' dialog-covering' : ''}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
    >
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        {onClose && (
          <Button kind="quiet" small onClick={onClose} aria-label="Close">
            ✕
          </Button>
        )}
      </div>
      {children}
    </dialog>
  )
}

/** As long as an answer may take that removes what opened the dialog. */
const GONE_MS = 3_000

/** The focus goes back to what opened a dialog. That may go too, with what was done in it: at once, or when the list is asked for again. */
function keepFocus(): void {
  const look = () => {
    if (document.activeElement !== document.body) return
    const next = document.querySelector<HTMLElement>('dialog[open] :is(input, button):not([type=hidden])')
    if (next === null) focusHeading()
    else next.focus()
  }
  // After the page has had its say: effects run a moment after the next frame.
  const lookLater = () => requestAnimationFrame(() => setTimeout(look))
  lookLater()
  const changes = new MutationObserver(lookLater)
  changes.observe(document.body, { childList: true, subtree: true })
  setTimeout(() => changes.disconnect(), GONE_MS)
}

interface ConfirmProps {
  title: string
  children: ComponentChildren
  /** What the button says: the deed, not "OK". */
  action: string
  /** Has to be typed first, for what cannot be undone. */
  typeToConfirm?: string
  onConfirm: () => Promise<void>
  onClose: () => void
}

export function ConfirmDialog({ title, children, action, typeToConfirm, onConfirm, onClose }: ConfirmProps) {
  const [typed, setTyped] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<ApiProblem>()
  const isReady = typeToConfirm === undefined || typed.trim() === typeToConfirm

  async function confirm(event: Event) {
    event.preventDefault()
    if (!isReady || busy) return
    setBusy(true)
    setProblem(undefined)
    try {
      await onConfirm()
    } catch (error) {
      setProblem(toApiProblem(error))
    } finally {
      setBusy(false)
    }
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <form class="form" onSubmit={confirm}>
        <div>{children}</div>
        {typeToConfirm !== undefined && (
          <TextField
            label={`Type ${typeToConfirm} to confirm`}
            value={typed}
            onValue={setTyped}
            autofocus
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
          />
        )}
        <ProblemNotice problem={problem} />
        <div class="form-actions">
          <Button kind="danger" type="submit" busy={busy} disabled={!isReady}>
            {action}
          </Button>
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
