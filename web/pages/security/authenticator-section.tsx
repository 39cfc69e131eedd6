import { Smartphone } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Section } from '../../components/section.tsx'
import { api } from '../../lib/api.ts'
import { type AccountSecurity, refetchSecurity } from '../../lib/security.ts'
import { showToast } from '../../lib/toasts.ts'
import { ProofDialog } from './proof-dialog.tsx'
import { SetupDialog } from './setup-dialog.tsx'

export function AuthenticatorSection({ security }: { security: AccountSecurity }) {
  const { has_password: hasPassword, totp_enabled: isEnabled, passkeys } = security
  const [openDialog, setOpenDialog] = useState<'setup' | 'disable'>()
  const close = () => setOpenDialog(undefined)
  return (
    <Section
      title="Authenticator app"
      icon={Smartphone}
      description="After your password, you enter a code that an app on your phone shows."
    >
      <div class="section-action">
        <p>
          <span class={isEnabled ? 'tag security-on' : 'tag'}>{isEnabled ? 'On' : 'Off'}</span>{' '}
          <span class="muted">
            {isEnabled
              ? 'Belfry asks for a code when you sign in with your password.'
              : 'Works with any app for TOTP codes.'}
          </span>
        </p>
        {isEnabled ? (
          <Button kind="danger" onClick={() => setOpenDialog('disable')}>
            Turn off<span class="hidden-text"> authenticator app</span>
          </Button>
        ) : (
          <Button kind="primary" onClick={() => setOpenDialog('setup')}>
            Set up<span class="hidden-text"> authenticator app</span>
          </Button>
        )}
      </div>
      {openDialog === 'setup' && <SetupDialog hasPassword={hasPassword} onClose={close} />}
      {openDialog === 'disable' && (
        <ProofDialog
          title="Turn off the authenticator app?"
          action="Turn off"
          isDanger
          hasPassword={hasPassword}
          onClose={close}
          onConfirm={async (proof) => {
            await api.post('api/account/totp/disable', proof)
            await refetchSecurity()
            close()
            showToast('Authenticator app turned off.')
          }}
        >
          <p>
            {passkeys.length > 0
              ? 'Your passkeys still protect your account.'
              : 'Your password alone will be enough to sign in, and your recovery codes stop working.'}
          </p>
        </ProofDialog>
      )}
    </Section>
  )
}
