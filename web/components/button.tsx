import type { ComponentChildren, JSX } from 'preact'
import { Link } from 'wouter-preact'

type Kind = 'plain' | 'primary' | 'danger' | 'quiet'

interface Look {
  kind?: Kind
  small?: boolean
}

const classOf = ({ kind = 'plain', small = false }: Look) => `button button-${kind}${small ? ' button-small' : ''}`

interface ButtonProps extends Look, Omit<JSX.IntrinsicElements['button'], 'kind' | 'disabled'> {
  /** At work: it says so, keeps its size and takes no second press. */
  busy?: boolean
  /** Takes no press, but keeps the focus: one that is disabled the usual way lets it fall. */
  disabled?: boolean
}

export function Button(props: ButtonProps) {
  const { kind, small, busy = false, disabled = false, children, onClick, type = 'button', ...rest } = props
  return (
    <button
      {...rest}
      type={type}
      class={classOf({ kind, small } as Look)}
      aria-disabled={busy || disabled || undefined}
      aria-busy={busy || undefined}
      onClick={(event) => {
        if (busy || disabled) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {busy && <span class="spinner" aria-hidden="true" />}
      {children}
    </button>
  )
}

export function ButtonLink({ to, children, ...look }: Look & { to: string; children: ComponentChildren }) {
  return (
    <Link href={to} class={classOf(look)}>
      {children}
    </Link>
  )
}
