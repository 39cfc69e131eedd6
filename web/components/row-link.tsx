import type { ComponentProps } from 'preact'
import { navigate } from 'wouter-preact/use-browser-location'
import { basePath } from '../lib/boot.ts'

interface RowLinkProps extends Omit<ComponentProps<'a'>, 'href' | 'onClick'> {
  href: string
}

/** A link in a row of a long list. The router's own link listens for changes of the address, in each row, which slows scrolling down. */
export function RowLink({ href, ...attributes }: RowLinkProps) {
  const path = basePath + href
  const open = (event: MouseEvent) => {
    // The browser opens a new tab or window, or saves the page.
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    navigate(path)
  }
  return <a {...attributes} href={path} onClick={open} />
}
