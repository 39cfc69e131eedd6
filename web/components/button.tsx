import type { LucideIcon } from 'lucide-preact'
import type { ComponentChildren, JSX } from 'preact'
import { Link } from 'wouter-preact'
import { can, type Permission } from '../lib/team.ts'
import { Icon } from './icon.tsx'

export interface ButtonStyle {
  kind?: 'plain' | 'primary' | 'danger' | 'quiet'
  small?: boolean
  /** Shown before the text. Without a text, the button needs an `aria-label`. */
  icon?: LucideIcon
  /** Hides the button if the user's role doesn't allow this. */
  needs?: Permission
}

const getButtonClass = ({ kind = 'plain', small = false }: ButtonStyle, hasText = true) =>
  `button button-${kind}${small ? ' button-small' : ''}${hasText ? '' : ' button-icon'}`

interface ButtonProps extends ButtonStyle, Omit<JSX.IntrinsicElements['button'], 'kind' | 'disabled' | 'icon'> {
  /** Shows a spinner and ignores clicks until the action is done. */
  busy?: boolean
  /** Sets aria-disabled rather than the disabled attribute, which would make the button lose keyboard focus. */
  disabled?: boolean
}

export function Button(props: ButtonProps) {
  const {
    kind,
    small,
    icon,
    busy = false,
    disabled = false,
    children,
    onClick,
    type = 'button',
    needs,
    ...rest
  } = props
  if (needs !== undefined && !can(needs)) return null
  return (
    <button
      {...rest}
      type={type}
      class={getButtonClass({ kind, small } as ButtonStyle, children !== undefined)}
      aria-disabled={busy || disabled || undefined}
      aria-busy={busy || undefined}
      onClick={(event) => {
        if (busy || disabled) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {busy ? <span class="spinner" aria-hidden="true" /> : icon && <Icon icon={icon} />}
      {children}
    </button>
  )
}

export function ButtonLink({
  to,
  icon,
  needs,
  children,
  ...style
}: ButtonStyle & { to: string; children: ComponentChildren }) {
  if (needs !== undefined && !can(needs)) return null
  return (
    <Link href={to} class={getButtonClass(style)}>
      {icon && <Icon icon={icon} />}
      {children}
    </Link>
  )
}
