/** Details that appear while the pointer is over an element or the element has the focus. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { placeBeside } from '../lib/place-beside.ts'

interface TooltipProps {
  content: ComponentChildren
  /** The element that the tooltip describes. If keyboard users need the details, it must be focusable. */
  children: ComponentChildren
  /** Added to the element around `children`. */
  class?: string
}

export function Tooltip({ content, children, class: className = '' }: TooltipProps) {
  const id = useId()
  const anchor = useRef<HTMLSpanElement>(null)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (!isOpen) return
    const close = () => setOpen(false)
    const closeOnEscape = (event: KeyboardEvent) => event.key === 'Escape' && close()
    document.addEventListener('keydown', closeOnEscape)
    document.addEventListener('scroll', close, { capture: true, passive: true })
    return () => {
      document.removeEventListener('keydown', closeOnEscape)
      document.removeEventListener('scroll', close, { capture: true })
    }
  }, [isOpen])
  return (
    <span
      ref={anchor}
      class={`tooltip-anchor ${className}`}
      aria-describedby={isOpen ? id : undefined}
      onPointerEnter={() => setOpen(true)}
      onPointerLeave={() => setOpen(false)}
      onFocusIn={() => setOpen(true)}
      onFocusOut={() => setOpen(false)}
    >
      {children}
      {isOpen && (
        <TooltipBox id={id} findAnchor={() => anchor.current?.getBoundingClientRect()}>
          {content}
        </TooltipBox>
      )}
    </span>
  )
}

interface TooltipBoxProps {
  id?: string
  /** Returns the rectangle that the box is placed beside, in pixels from the window's top left corner. */
  findAnchor: () => Pick<DOMRect, 'left' | 'top' | 'width' | 'height'> | undefined
  children: ComponentChildren
}

/**
 * The floating box itself, for components that decide on their own when to show it. As a popover it lies above everything
 * else, dialogs included, and no element around it cuts it off.
 */
export function TooltipBox({ id, findAnchor, children }: TooltipBoxProps) {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = box.current
    const anchor = findAnchor()
    if (element === null || anchor === undefined) return
    if (!element.matches(':popover-open')) element.showPopover()
    const { clientWidth: width, clientHeight: height } = document.documentElement
    const { left, top } = placeBeside(
      anchor,
      { width: element.offsetWidth, height: element.offsetHeight },
      { width, height },
    )
    element.style.translate = `${Math.round(left)}px ${Math.round(top)}px`
  })
  return (
    <div ref={box} id={id} class="tooltip" role="tooltip" popover="manual">
      {children}
    </div>
  )
}
