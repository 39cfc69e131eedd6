import { Eye, EyeOff } from 'lucide-preact'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Icon } from './icon.tsx'

/** A password, with a button that shows what the user has typed. */
export function PasswordInput(props: JSX.IntrinsicElements['input']) {
  const [isShown, setShown] = useState(false)
  return (
    <div class="input-with-button">
      <input autocapitalize="none" spellcheck={false} {...props} type={isShown ? 'text' : 'password'} />
      <button type="button" class="input-button" onClick={() => setShown(!isShown)}>
        <Icon icon={isShown ? EyeOff : Eye} />
        <span class="hidden-text">{isShown ? 'Hide password' : 'Show password'}</span>
      </button>
    </div>
  )
}
