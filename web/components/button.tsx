import type { ComponentChildren, JSX } from 'preact'
import { Link } from 'wouter-preact'

type Kind = 'plain' | 'primary' | 'danger' | 'quiet'

interface Look {
  kind?: Kind
  small?: boolean
}

const classOf = ({ kind = 'plain', small = false }: Look) => `button button-${kind}${small ? ' button-small' : ''}`

interface ButtonProps extends Look, Omit<JSX.IntrinsicElements['button'], 'kind'> {
  /** At work: it says so, keeps its size and takes no second press. */
  busy?: boolean
}

export function Button({ kind, small, busy = false, children, onClick, type = 'button', ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      class={classOf({ kind, small } as Look)}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={(event) => {
        if (busy) event.preventDefault()
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
