import { ShieldCheck } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { PrivacyFields } from '../../components/privacy-fields.tsx'
import { Section } from '../../components/section.tsx'
import { publicUrl } from '../../lib/boot.ts'
import type { Form } from '../../lib/use-form.ts'
import type { SettingsValues } from './values.ts'

interface PrivacyPanelProps {
  form: Form<SettingsValues>
  hasPassword: boolean
  domain: string
}

export function PrivacyPanel({ form, hasPassword, domain }: PrivacyPanelProps) {
  return (
    <Section
      title="Privacy"
      icon={ShieldCheck}
      description={
        <span class="website-settings-address">
          Statistics page:{' '}
          <Link href={`/${domain}`}>
            {publicUrl}/<wbr />
            {domain}
          </Link>
        </span>
      }
    >
      <PrivacyFields form={form} hasPassword={hasPassword} what="the statistics" />
    </Section>
  )
}
