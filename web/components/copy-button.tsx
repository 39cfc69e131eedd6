import { Check, Copy } from 'lucide-preact'
import { useEffect, useState } from 'preact/hooks'
import { Button } from './button.tsx'

/** How long the button shows whether copying worked. */
const FEEDBACK_MS = 4_000

interface CopyButtonProps {
  text: string
  /** Without a label, the button shows only an icon. */
  label?: string | undefined
}

export function CopyButton({ text, label }: CopyButtonProps) {
  const [feedback, setFeedback] = useState<'Copied' | 'Select and copy manually'>()
  useEffect(() => {
    if (feedback === undefined) return
    const timer = setTimeout(() => setFeedback(undefined), FEEDBACK_MS)
    return () => clearTimeout(timer)
  }, [feedback])
  async function copy() {
    try {
      await copyText(text)
      setFeedback('Copied')
    } catch {
      setFeedback('Select and copy manually')
    }
  }
  const isCopied = feedback === 'Copied'
  const isIconOnly = label === undefined && (feedback === undefined || isCopied)
  return (
    <Button small {...(isIconOnly && { kind: 'quiet' })} icon={isCopied ? Check : Copy} onClick={() => void copy()}>
      <span aria-live="polite" class={isIconOnly ? 'hidden-text' : undefined}>
        {feedback ?? label ?? 'Copy'}
      </span>
    </Button>
  )
}

/** Browsers offer navigator.clipboard only over HTTPS, so pages served over HTTP fall back to execCommand. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const focusedElement = document.activeElement
  const textArea = document.createElement('textarea')
  textArea.value = text
  // While a modal dialog is open, only elements inside it can be selected.
  const parent = document.querySelector('dialog[open]') ?? document.body
  parent.append(textArea)
  textArea.select()
  const isCopied = document.execCommand('copy')
  textArea.remove()
  if (focusedElement instanceof HTMLElement) focusedElement.focus()
  if (!isCopied) throw new Error('execCommand("copy") failed')
}

/** A line of code with a copy button. */
export function CodeLine({ text, label }: { text: string; label?: string }) {
  return (
    <div class="code">
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </div>
  )
}
