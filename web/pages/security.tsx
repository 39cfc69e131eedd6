/** How the user signs in: password, second factors, passkeys, email address, sessions. */
import { KeyRound } from 'lucide-preact'
import { ButtonLink } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { Section } from '../components/section.tsx'
import { Loading, QueryContent, Skeleton } from '../components/states.tsx'
import { useSecurity } from '../lib/security.ts'
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
              <IdentitySection security={security} />
              <SessionsSection />
            </>
          )}
        </QueryContent>
      </div>
    </Page>
  )
}

/** The form itself is on the account page. */
function PasswordSection() {
  return (
    <Section
      title="Password"
      icon={KeyRound}
      description="If you change it, you stay signed in here and are signed out on all other devices."
    >
      <div class="section-action">
        <p class="muted">You sign in with your email address and your password.</p>
        <ButtonLink to="/account#password">Change password</ButtonLink>
      </div>
    </Section>
  )
}
