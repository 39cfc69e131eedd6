/** A button that opens a list of choices: below the button, or as a sheet at the bottom of a phone's screen. */
import type { LucideIcon } from 'lucide-preact'
import { Check, ChevronDown } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { createContext } from 'preact'
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { findNextRowIndex } from '../lib/shortcuts.ts'
import { can, type Permission } from '../lib/team.ts'
import { Button, type ButtonStyle } from './button.tsx'
import { Icon } from './icon.tsx'

const CloseMenuContext = createContext<() => void>(() => {})

interface MenuProps extends ButtonStyle {
  /** Content of the button that opens the menu. */
  label: ComponentChildren
  /** Name of the button and of the menu for screen readers, if `label` isn't a full description. */
  name?: string
  /** The edge of the button that the list is aligned with. */
  align?: 'start' | 'end'
  hasChevron?: boolean
  /** `MenuItem`, `MenuLink`, `MenuNote` and `MenuSeparator` elements. */
  children: ComponentChildren
}

export function Menu({ needs, ...props }: MenuProps) {
  return needs !== undefined && !can(needs) ? null : <OpenableMenu {...props} />
}

function OpenableMenu({ label, name, icon, align = 'start', hasChevron = true, children, ...style }: MenuProps) {
  const [isOpen, setOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const listId = useId()
  const close = (hasFocusMoved = false) => {
    setOpen(false)
    if (!hasFocusMoved) root.current?.querySelector('button')?.focus()
  }

  useEffect(() => {
    if (!isOpen) return
    const items = listItems(root.current)
    const current = items.find((item) => item.getAttribute('aria-checked') === 'true') ?? items[0]
    current?.focus()
    const closeOnOutsideClick = ({ target }: Event) => {
      if (target instanceof Node && !root.current?.contains(target)) setOpen(false)
    }
    document.addEventListener('pointerdown', closeOnOutsideClick)
    return () => document.removeEventListener('pointerdown', closeOnOutsideClick)
  }, [isOpen])

  function onKeyDown(event: KeyboardEvent) {
    if (!isOpen) return
    if (event.key === 'Escape') {
      event.stopPropagation()
      close()
      return
    }
    const items = listItems(root.current)
    const next = findNextRowIndex(event.key, items.indexOf(document.activeElement as HTMLElement), items.length)
    if (next === undefined) return
    event.preventDefault()
    items[next]?.focus()
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the menu inside
    <div
      class="menu"
      ref={root}
      onKeyDown={onKeyDown}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget instanceof Node && !root.current?.contains(relatedTarget)) close(true)
      }}
    >
      <Button
        {...style}
        {...(icon && { icon })}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? listId : undefined}
        aria-label={name}
        onClick={() => setOpen(!isOpen)}
      >
        {label}
        {hasChevron && <Icon icon={ChevronDown} size={14} />}
      </Button>
      {isOpen && (
        <CloseMenuContext.Provider value={close}>
          <div id={listId} class={`menu-list menu-${align}`} role="menu" aria-label={name}>
            {children}
          </div>
        </CloseMenuContext.Provider>
      )}
    </div>
  )
}

const listItems = (root: HTMLElement | null) => [...(root?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])]

interface MenuItemProps {
  icon?: LucideIcon
  /** Marks the selected choice. Leave undefined for an action. */
  isChecked?: boolean
  /** Turns a setting on and off, instead of being one of several choices. */
  isToggle?: boolean
  /** A text at the end of the item, such as a keyboard shortcut. */
  hint?: string
  /** A muted text at the end of the item. */
  detail?: string
  isDanger?: boolean
  /** Hides the item if the user's role doesn't allow this. */
  needs?: Permission
  onSelect: () => void
  children: ComponentChildren
}

export function MenuItem({
  icon,
  isChecked,
  isToggle = false,
  hint,
  detail,
  isDanger = false,
  needs,
  onSelect,
  children,
}: MenuItemProps) {
  const close = useContext(CloseMenuContext)
  if (needs !== undefined && !can(needs)) return null
  const role = isChecked === undefined ? 'menuitem' : isToggle ? 'menuitemcheckbox' : 'menuitemradio'
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: aria-checked is set only with the roles menuitemradio and menuitemcheckbox
    <button
      type="button"
      role={role}
      tabIndex={-1}
      class={isDanger ? 'menu-danger' : undefined}
      aria-checked={isChecked}
      onClick={() => {
        close()
        onSelect()
      }}
    >
      {icon && <Icon icon={icon} />}
      <span class="menu-label">{children}</span>
      {detail !== undefined && <span class="muted small">{detail}</span>}
      {isChecked && <Icon icon={Check} />}
      {hint !== undefined && <kbd>{hint}</kbd>}
    </button>
  )
}

interface MenuLinkProps {
  icon?: LucideIcon
  href: string
  /** Set for a page that isn't part of the application. It opens in a new tab. */
  isExternal?: boolean
  children: ComponentChildren
}

export function MenuLink({ icon, href, isExternal = false, children }: MenuLinkProps) {
  const close = useContext(CloseMenuContext)
  const content = (
    <>
      {icon && <Icon icon={icon} />}
      <span class="menu-label">{children}</span>
    </>
  )
  const shared = { role: 'menuitem' as const, tabIndex: -1, onClick: () => close() }
  return isExternal ? (
    <a href={href} target="_blank" rel="noreferrer" {...shared}>
      {content}
    </a>
  ) : (
    <Link href={href} {...shared}>
      {content}
    </Link>
  )
}

export const MenuSeparator = () => <hr class="menu-separator" />

export const MenuNote = ({ children }: { children: ComponentChildren }) => (
  <p class="menu-note muted small">{children}</p>
)
