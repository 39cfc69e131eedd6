import { ShieldCheck } from 'lucide-preact'
import { GoLiveNotice } from '../../components/go-live-notice.tsx'
import { PrivacyFields } from '../../components/privacy-fields.tsx'
import { Section } from '../../components/section.tsx'
import type { EditorSectionProps } from './use-editor-form.ts'

export function PrivacySection({ form, saved }: EditorSectionProps) {
  return (
    <Section
      title="Privacy"
      icon={ShieldCheck}
      description="The setting also applies to the badges, the feeds and the form for subscribers."
    >
      <PrivacyFields form={form} hasPassword={saved?.has_password ?? false} what="the status page" />
      <GoLiveNotice needs={['url', 'mail']}>
        Visitors can follow this page in feed readers, but can't subscribe by email yet.
      </GoLiveNotice>
    </Section>
  )
}
