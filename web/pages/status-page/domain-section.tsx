/** The custom domain of the page, with the steps to set it up. */
import { Globe } from 'lucide-preact'
import { MAX_DOMAIN_LENGTH } from '../../../src/shared/websites.ts'
import { CodeLine } from '../../components/copy-button.tsx'
import { TextField } from '../../components/field.tsx'
import { Section } from '../../components/section.tsx'
import { publicUrl } from '../../lib/boot.ts'
import { DomainCheck } from './domain-check.tsx'
import type { EditorSectionProps } from './editor-form.ts'

export function DomainSection({ form: { values, set, errorsFor }, saved }: EditorSectionProps) {
  const domain = values.custom_domain.trim().toLowerCase()
  return (
    <Section title="Custom domain" icon={Globe}>
      <div class="form">
        <TextField
          label="Domain"
          hint="Optional. The page is then at the root of this domain, and still at its address on this server."
          placeholder="status.example.com"
          maxLength={MAX_DOMAIN_LENGTH}
          inputMode="url"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          value={values.custom_domain}
          errors={errorsFor('custom_domain')}
          onValue={(text) => set('custom_domain', text)}
        />
        {domain !== '' && <DomainSteps domain={domain} savedDomain={saved?.custom_domain ?? null} pageId={saved?.id} />}
      </div>
    </Section>
  )
}

const formatAddressRecord = (domain: string, hostname: string) =>
  hostname.startsWith('[') ? `${domain}. AAAA ${hostname.slice(1, -1)}` : `${domain}. A ${hostname}`

interface DomainStepsProps {
  domain: string
  savedDomain: string | null
  pageId: number | undefined
}

function DomainSteps({ domain, savedDomain, pageId }: DomainStepsProps) {
  const { hostname } = new URL(publicUrl)
  const isAddress = /^[\d.]+$|^\[/.test(hostname)
  return (
    <ol class="domain-steps">
      <li>
        <h3>Point the domain to this server</h3>
        <p class="muted">Add this record where you manage the DNS of the domain:</p>
        <CodeLine text={isAddress ? formatAddressRecord(domain, hostname) : `${domain}. CNAME ${hostname}.`} />
        {!isAddress && (
          <p class="field-hint">
            A domain without a subdomain, such as example.com, can't have a CNAME record. Use A and AAAA records with
            the IP addresses of this server instead.
          </p>
        )}
      </li>
      <li>
        <h3>Let your reverse proxy serve it</h3>
        <p class="muted">
          The proxy needs a certificate for the domain, and must pass on the Host header. Caddy does both without
          further settings:
        </p>
        <CodeLine text={`${domain} {\n  reverse_proxy 127.0.0.1:3000\n}`} />
        <p class="field-hint">
          With nginx, copy the server block of {hostname}, and change the server name and the certificate.
        </p>
      </li>
      <li>
        <h3>Check that it works</h3>
        <DomainCheck domain={domain} isSaved={domain === savedDomain} pageId={pageId} />
      </li>
    </ol>
  )
}
