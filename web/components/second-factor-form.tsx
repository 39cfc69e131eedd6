/** The second step of a sign-in: a code of the authenticator app, a recovery code, or a passkey. */
import { Fingerprint } from 'lucide-preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { api } from '../lib/api.ts'
import { boot } from '../lib/boot.ts'
import { canUsePasskeys, isCancelled, type SecondFactor, signInWithPasskey } from '../lib/sign-in.ts'
import { showProblem } from '../lib/toasts.ts'
import { useForm } from '../lib/use-form.ts'
import { Button } from './button.tsx'
import { TextField } from './field.tsx'
import { OperatorHelp } from './operator-help.tsx'
import { ProblemNotice } from './problem-notice.tsx'

/** Authenticator apps show codes of this many digits. */
const CODE_LENGTH = 6

interface SecondFactorFormProps {
  secondFactor: SecondFactor
  onSignedIn: () => void
  onBack: () => void
}

export default function SecondFactorForm({ secondFactor, onSignedIn, onBack }: SecondFactorFormProps) {
  const { token, methods } = secondFactor
  const hasApp = methods.includes('totp')
  const hasPasskey = methods.includes('passkey') && canUsePasskeys
  const [isRecovering, setRecovering] = useState(!hasApp && !hasPasskey)
  const [isPasskeyBusy, setPasskeyBusy] = useState(false)
  const form = useForm({ code: '' }, async ({ code }) => {
    await api.post('api/session/second-factor', { token, code: code.trim() })
    onSignedIn()
  })
  const element = useRef<HTMLFormElement>(null)
  const { code } = form.values
  const isCodeShown = hasApp || isRecovering
  const backLabel = hasApp ? (hasPasskey ? 'Back to the code or passkey' : 'Back to the code') : 'Back to the passkey'

  useEffect(() => {
    // Typing the last digit, or the code that a phone fills in, is enough.
    if (!isRecovering && new RegExp(`^\\d{${CODE_LENGTH}}$`).test(code)) element.current?.requestSubmit()
  }, [code, isRecovering])

  useEffect(() => {
    // The browser focuses only what is there when the page loads.
    element.current?.querySelector('input')?.focus()
  }, [isRecovering])

  useEffect(() => {
    // The next code replaces the wrong one.
    if (form.problem?.errors['code']) element.current?.querySelector('input')?.select()
  }, [form.problem])

  async function usePasskey() {
    setPasskeyBusy(true)
    try {
      await signInWithPasskey(token)
      onSignedIn()
    } catch (error) {
      if (!isCancelled(error)) showProblem(error)
    } finally {
      setPasskeyBusy(false)
    }
  }

  function toggleRecovery() {
    setRecovering(!isRecovering)
    form.setAll({ code: '' })
  }

  return (
    <form class="form" method="post" ref={element} onSubmit={form.submit}>
      {isCodeShown && (
        <TextField
          key={isRecovering ? 'recovery' : 'app'}
          label={isRecovering ? 'Recovery code' : 'Code'}
          hint={
            isRecovering
              ? 'One of the codes that you saved. Each works once.'
              : `The ${CODE_LENGTH} digits that your authenticator app shows for Belfry.`
          }
          name="code"
          inputMode={isRecovering ? 'text' : 'numeric'}
          autocomplete={isRecovering ? 'off' : 'one-time-code'}
          autocapitalize="none"
          spellcheck={false}
          maxLength={40}
          required
          value={code}
          errors={form.errorsFor('code')}
          onValue={(text) => form.set('code', isRecovering ? text : text.replaceAll(/\s/g, ''))}
        />
      )}
      <ProblemNotice problem={form.problem} fieldsWithOwnErrors={['code']} />
      <div class="form-column">
        {isCodeShown && (
          <Button kind="primary" type="submit" busy={form.busy}>
            Continue
          </Button>
        )}
        {hasPasskey && !isRecovering && (
          <Button
            kind={hasApp ? 'plain' : 'primary'}
            icon={Fingerprint}
            busy={isPasskeyBusy}
            onClick={() => void usePasskey()}
          >
            Use a passkey
          </Button>
        )}
        {methods.includes('recovery_code') && (hasApp || hasPasskey) && (
          <Button kind="quiet" onClick={toggleRecovery}>
            {isRecovering ? backLabel : 'Use a recovery code'}
          </Button>
        )}
        <Button kind="quiet" onClick={onBack}>
          Start over
        </Button>
      </div>
      {isRecovering && (
        <OperatorHelp
          question="No recovery codes either?"
          answer="The server operator can remove your second factors. Your password is then enough to sign in:"
          command={boot.password_command.replace('user password', 'user disable-2fa')}
        />
      )}
    </form>
  )
}
