import { useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { showProblem } from './toasts.tsx'

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false)
  async function copy() {
    try {
      await copyText(text)
      setCopied(true)
      setTimeout(() => setCopied(false), 2_000)
    } catch {
      showProblem('Your browser did not let us copy. Select the text instead.')
    }
  }
  return (
    <Button small onClick={() => void copy()}>
      <span aria-live="polite">{isCopied ? 'Copied' : label}</span>
    </Button>
  )
}

/** Without https a browser has no clipboard for pages; the old way works there. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  const isDone = document.execCommand('copy')
  area.remove()
  if (!isDone) throw new Error('not copied')
}

/** A line for somewhere else, with a button that copies it. */
export function CodeLine({ text, label }: { text: string; label?: string }) {
  return (
    <div class="code">
      <code>{text}</code>
      <CopyButton text={text} {...(label !== undefined && { label })} />
    </div>
  )
}
