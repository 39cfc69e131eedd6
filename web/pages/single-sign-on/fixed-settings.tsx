import { LogIn } from 'lucide-preact'
import type { ServerSettingsRecord } from '../../../src/server-settings/schema.ts'
import { Section } from '../../components/section.tsx'
import { EnvironmentNote } from '../server-settings/environment-note.tsx'
import { TestProvider } from './test-provider.tsx'

export function FixedSettings({ settings }: { settings: ServerSettingsRecord['single_sign_on'] }) {
  const facts = [
    ['Issuer', settings.issuer],
    ['Client ID', settings.client_id],
    ['Scopes', settings.scopes],
    ['Text of the button', settings.label],
    ['Role claim', settings.role_claim],
    ['Roles in teams', settings.role_map],
    ['Create accounts', settings.create_users ? 'Yes' : 'No'],
    ['Only way to sign in', settings.only ? 'Yes' : 'No'],
  ] as const
  return (
    <Section
      title="Identity provider"
      icon={LogIn}
      description="OpenID Connect, with Keycloak, Authentik, Google, Entra…"
    >
      <div class="form">
        <dl class="sso-facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value ?? '–'}</dd>
            </div>
          ))}
        </dl>
        <EnvironmentNote variables={['BELFRY_OIDC_ISSUER']} />
        <TestProvider input={{}} />
      </div>
    </Section>
  )
}
