import { useEffect, useState } from 'preact/hooks'
import { Button } from './button.tsx'

/** How long it says what came of it. */
const SAID_MS = 4_000

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [said, setSaid] = useState<string>()
  useEffect(() => {
    if (said === undefined) return
    const timer = setTimeout(() => setSaid(undefined), SAID_MS)
    return () => clearTimeout(timer)
  }, [said])
  async function copy() {
    try {
      await copyText(text)
      setSaid('Copied')
    } catch {
      setSaid('Select it and copy by hand')
    }
  }
  return (
    <Button small onClick={() => void copy()}>
      <span aria-live="polite">{said ?? label}</span>
    </Button>
  )
}

/** Without https a browser has no clipboard for pages; the old way works there. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const focused = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  // Nothing outside of an open dialog can be selected.
  const place = document.querySelector('dialog[open]') ?? document.body
  place.append(area)
  area.select()
  const isDone = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
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
