/** The custom domain of the page, with the steps to set it up. */
import { Globe } from 'lucide-preact'
import { MAX_DOMAIN_LENGTH } from '../../../src/shared/websites.ts'
import { CodeLine } from '../../components/copy-button.tsx'
import { TextField } from '../../components/field.tsx'
import { GoLiveNotice } from '../../components/go-live-notice.tsx'
import { Section } from '../../components/section.tsx'
import { boot, publicUrl } from '../../lib/boot.ts'
import type { StatusPage } from '../../lib/status-pages.ts'
import { DomainCheck, useVerifiedAt } from './domain-check.tsx'
import type { EditorSectionProps } from './use-editor-form.ts'

export function DomainSection({ form: { values, set, errorsFor }, saved }: EditorSectionProps) {
  const domain = values.custom_domain.trim().toLowerCase()
  // Without a public URL, the server can't tell a custom domain from its own host.
  const canServeDomains = boot.base_url != null
  return (
    <Section title="Custom domain" icon={Globe}>
      <div class="form">
        <TextField
          label="Domain"
          hint={
            canServeDomains
              ? 'Optional. Visitors can then open the page at this domain, and still at its address on this server.'
              : undefined
          }
          disabled={!canServeDomains && values.custom_domain === ''}
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
        {!canServeDomains && <MissingUrlNotice savedDomain={saved?.custom_domain ?? null} />}
        {canServeDomains && domain !== '' && (
          <DomainSteps domain={domain} saved={saved?.custom_domain === domain ? saved : undefined} />
        )}
      </div>
    </Section>
  )
}

const formatAddressRecord = (domain: string, hostname: string) =>
  hostname.startsWith('[') ? `${domain}. AAAA ${hostname.slice(1, -1)}` : `${domain}. A ${hostname}`

function MissingUrlNotice({ savedDomain }: { savedDomain: string | null }) {
  return (
    <GoLiveNotice needs={['url']}>
      {savedDomain === null ? (
        'Custom domains need the public URL of this server.'
      ) : (
        <>
          <strong>{savedDomain}</strong> doesn't show this page, because the server doesn't know its own address.
        </>
      )}
    </GoLiveNotice>
  )
}

interface DomainStepsProps {
  domain: string
  /** The saved page. Undefined until the page is saved with this domain. */
  saved: StatusPage | undefined
}

function DomainSteps({ domain, saved }: DomainStepsProps) {
  const { hostname } = new URL(publicUrl)
  const isAddress = /^[\d.]+$|^\[/.test(hostname)
  const { verifiedAt, noteCheck } = useVerifiedAt(saved)
  const record = saved?.custom_domain_record
  return (
    <ol class="domain-steps">
      <li>
        <h3>
          Prove that the domain is yours <VerifiedMark verifiedAt={verifiedAt} />
        </h3>
        {record ? (
          <>
            <p class="muted">Add this TXT record where you manage the DNS of the domain, and keep it:</p>
            <dl class="domain-record">
              <dt>Name</dt>
              <dd>
                <CodeLine text={record.name} />
              </dd>
              <dt>Value</dt>
              <dd>
                <CodeLine text={record.value} />
              </dd>
            </dl>
            <p class="field-hint">
              Until Belfry finds this record, the domain doesn't show the page. Belfry looks for it every few minutes,
              and when you check the domain below.
            </p>
          </>
        ) : (
          <p class="muted">Save the page to see the DNS record to add.</p>
        )}
      </li>
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
        <h3>Let your reverse proxy serve the domain</h3>
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
        <DomainCheck domain={domain} pageId={saved?.id} onChecked={noteCheck} />
      </li>
    </ol>
  )
}

function VerifiedMark({ verifiedAt }: { verifiedAt: string | null | undefined }) {
  if (verifiedAt === undefined) return null
  return (
    <span class={`tag domain-mark-${verifiedAt === null ? 'warn' : 'good'}`}>
      {verifiedAt === null ? 'Not verified' : 'Verified'}
    </span>
  )
}
