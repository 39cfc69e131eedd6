import { Link2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Section } from '../../components/section.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'
import { type AccountSecurity, refetchSecurity, useIdentity } from '../../lib/security.ts'
import { useSignInMethods } from '../../lib/sign-in.ts'
import { showToast } from '../../lib/toasts.ts'
import { ProofDialog } from './proof-dialog.tsx'

/** Nothing on a server without single sign-on. */
export function IdentitySection({ security: { has_password: hasPassword } }: { security: AccountSecurity }) {
  const { data: methods } = useSignInMethods()
  const { data: identity } = useIdentity()
  const [openDialog, setOpenDialog] = useState<'link' | 'unlink'>()
  const close = () => setOpenDialog(undefined)
  const label = methods?.single_sign_on?.label
  if (identity === undefined || (identity === null && label === undefined)) return null
  return (
    <Section
      title={label ?? 'Single sign-on'}
      icon={Link2}
      description="Sign in with your account at your identity provider."
    >
      <div class="section-action">
        {identity === null ? (
          <>
            <p class="muted">Not linked.</p>
            <Button onClick={() => setOpenDialog('link')}>Link account</Button>
          </>
        ) : (
          <>
            <p>
              Linked to <strong>{identity.email ?? identity.issuer}</strong>
              <span class="muted small security-block">
                {identity.email !== null && `${identity.issuer} · `}
                {identity.last_used_at === null ? (
                  'Not used yet'
                ) : (
                  <>
                    Last used <RelativeTime at={identity.last_used_at} />
                  </>
                )}
              </span>
            </p>
            <Button kind="danger" onClick={() => setOpenDialog('unlink')}>
              Unlink
            </Button>
          </>
        )}
      </div>
      {openDialog === 'link' && (
        <ProofDialog
          title="Link your account?"
          action="Continue"
          hasPassword={hasPassword}
          onClose={close}
          onConfirm={async (proof) => {
            const input = { ...proof, return_to: '/account/security' }
            const { data } = await api.post<ItemResponse<{ url: string }>>('api/account/identity', input)
            location.assign(data.url)
          }}
        >
          <p>Next, you sign in at your identity provider. Your account there can then sign in here.</p>
        </ProofDialog>
      )}
      {openDialog === 'unlink' && (
        <ProofDialog
          title="Unlink single sign-on?"
          action="Unlink"
          isDanger
          hasPassword={hasPassword}
          onClose={close}
          onConfirm={async (proof) => {
            await api.delete('api/account/identity', proof)
            await Promise.all([queryClient.invalidateQueries({ queryKey: queryKeys.identity }), refetchSecurity()])
            close()
            showToast('Single sign-on unlinked.')
          }}
        >
          <p>You then sign in only with your password or a passkey.</p>
        </ProofDialog>
      )}
    </Section>
  )
}
