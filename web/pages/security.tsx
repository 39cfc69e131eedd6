/** How the user signs in: password, second factors, passkeys, email address, sessions. */
import { Page } from '../components/page.tsx'
import { Loading, QueryContent, Skeleton } from '../components/states.tsx'
import { useSecurity } from '../lib/security.ts'
import { PasswordSection } from './account/password-section.tsx'
import { AuthenticatorSection } from './security/authenticator-section.tsx'
import { EmailSection } from './security/email-section.tsx'
import { IdentitySection } from './security/identity-section.tsx'
import { PasskeysSection } from './security/passkeys-section.tsx'
import { RecoverySection } from './security/recovery-section.tsx'
import { SessionsSection } from './security/sessions-section.tsx'
import './security/security.css'

export default function SecurityPage() {
  return (
    <Page title="Security" isSettings parent={{ href: '/account', label: 'Account' }}>
      <div class="sections">
        <QueryContent
          query={useSecurity()}
          loading={
            <Loading what="security settings">
              <Skeleton height="7rem" />
              <Skeleton height="7rem" />
              <Skeleton height="14rem" />
            </Loading>
          }
        >
          {(security) => (
            <>
              <AuthenticatorSection security={security} />
              <PasskeysSection security={security} />
              {(security.totp_enabled || security.passkeys.length > 0) && <RecoverySection security={security} />}
              {security.has_password && <PasswordSection />}
              <EmailSection security={security} />
              <IdentitySection />
              <SessionsSection />
            </>
          )}
        </QueryContent>
      </div>
    </Page>
  )
}
