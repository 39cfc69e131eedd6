import { X } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { type ApiProblem, toApiProblem } from '../lib/api.ts'
import { Button } from './button.tsx'
import { TextField } from './field.tsx'
import { focusHeading } from './page.tsx'
import { ProblemNotice } from './problem-notice.tsx'

interface DialogProps {
  title: string
  /** If undefined, only a button in the content closes the dialog, so that Escape can't discard the content. */
  onClose?: () => void
  /** Hides the page behind an opaque backdrop. */
  hidesPage?: boolean
  /** Makes the dialog wide enough for a table. */
  isWide?: boolean
  children: ComponentChildren
}

/** The dialog is open as long as it is rendered. The browser keeps the focus inside and restores it on close. */
export function Dialog({ title, onClose, hidesPage = false, isWide = false, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    return () => {
      dialog?.close()
      recoverLostFocus()
    }
  }, [])
  useEffect(() => {
    if (onClose !== undefined) return
    // Browsers ignore preventDefault on the cancel event of a second Escape, so prevent the key itself.
    const keepOpen = (event: KeyboardEvent) => event.key === 'Escape' && event.preventDefault()
    document.addEventListener('keydown', keepOpen, true)
    return () => document.removeEventListener('keydown', keepOpen, true)
  }, [onClose === undefined])
  return (
    <dialog
      ref={element}
      class={`dialog${hidesPage ? ' dialog-covering' : ''}${isWide ? ' dialog-wide' : ''}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
    >
      <div class="dialog-head">
        <h2 id={titleId}>{title}</h2>
        {onClose && <Button kind="quiet" small icon={X} onClick={onClose} aria-label="Close" />}
      </div>
      {children}
    </dialog>
  )
}

/** How long to watch for a refetch that removes the element which opened the dialog. */
const FOCUS_RECOVERY_MS = 3_000

/**
 * On close, the browser returns the focus to the element that opened the dialog. The confirmed action may remove that
 * element, right away or after a refetch. The focus then goes to an open dialog or to the page heading.
 */
function recoverLostFocus(): void {
  const refocus = () => {
    if (document.activeElement !== document.body) return
    const next = document.querySelector<HTMLElement>('dialog[open] :is(input, button):not([type=hidden])')
    if (next === null) focusHeading()
    else next.focus()
  }
  // The page may set the focus itself in a `useEffect`. Preact runs effects shortly after the next frame, so wait for them.
  const refocusAfterEffects = () => requestAnimationFrame(() => setTimeout(refocus))
  refocusAfterEffects()
  const observer = new MutationObserver(refocusAfterEffects)
  observer.observe(document.body, { childList: true, subtree: true })
  setTimeout(() => observer.disconnect(), FOCUS_RECOVERY_MS)
}

interface DialogActionsProps {
  /** Label of the submit button: a verb, not "OK". */
  action: string
  kind?: 'primary' | 'danger'
  busy?: boolean
  disabled?: boolean
  onCancel: () => void
}

/** The buttons at the end of a form in a dialog. */
export function DialogActions({
  action,
  kind = 'primary',
  busy = false,
  disabled = false,
  onCancel,
}: DialogActionsProps) {
  return (
    <div class="form-actions">
      <Button kind={kind} type="submit" busy={busy} disabled={disabled}>
        {action}
      </Button>
      <Button kind="quiet" onClick={onCancel}>
        Cancel
      </Button>
    </div>
  )
}

interface ConfirmProps {
  title: string
  children: ComponentChildren
  /** Label of the confirm button: a verb, not "OK". */
  action: string
  /** The user must type this text before confirming. Set it for actions that can't be undone. */
  typeToConfirm?: string
  onConfirm: () => Promise<void>
  onClose: () => void
}

export function ConfirmDialog({ title, children, action, typeToConfirm, onConfirm, onClose }: ConfirmProps) {
  const [typedText, setTypedText] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<ApiProblem>()
  const isReady = typeToConfirm === undefined || typedText.trim() === typeToConfirm

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
            value={typedText}
            onValue={setTypedText}
            autofocus
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
          />
        )}
        <ProblemNotice problem={problem} />
        <DialogActions kind="danger" action={action} busy={busy} disabled={!isReady} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
