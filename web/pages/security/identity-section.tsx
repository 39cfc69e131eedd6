import { Link2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Section } from '../../components/section.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'
import { useIdentity } from '../../lib/security.ts'
import { useSignInMethods } from '../../lib/sign-in.ts'
import { showProblem, showToast } from '../../lib/toasts.ts'

/** Nothing on a server without single sign-on. */
export function IdentitySection() {
  const { data: methods } = useSignInMethods()
  const { data: identity } = useIdentity()
  const [isBusy, setBusy] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const label = methods?.single_sign_on?.label
  if (identity === undefined || (identity === null && label === undefined)) return null

  async function link() {
    setBusy(true)
    try {
      const { data } = await api.post<ItemResponse<{ url: string }>>('api/account/identity', {
        return_to: '/account/security',
      })
      location.assign(data.url)
    } catch (error) {
      setBusy(false)
      showProblem(error)
    }
  }

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
            <Button busy={isBusy} onClick={() => void link()}>
              Link account
            </Button>
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
            <Button kind="danger" onClick={() => setAsking(true)}>
              Unlink
            </Button>
          </>
        )}
      </div>
      {isAsking && (
        <ConfirmDialog
          title="Unlink single sign-on?"
          action="Unlink"
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            await api.delete('api/account/identity')
            await queryClient.invalidateQueries({ queryKey: queryKeys.identity })
            setAsking(false)
            showToast('Single sign-on unlinked.')
          }}
        >
          <p>You then sign in only with your password or a passkey.</p>
        </ConfirmDialog>
      )}
    </Section>
  )
}
