import { Mail } from 'lucide-preact'
import { CheckField } from '../../components/field.tsx'
import { GoLiveNotice } from '../../components/go-live-notice.tsx'
import { Section } from '../../components/section.tsx'
import { boot, canSend } from '../../lib/boot.ts'
import { teams } from '../../lib/team.ts'
import type { Form } from '../../lib/use-form.ts'
import type { SettingsValues } from './values.ts'

/** In a team, somebody else may have added the website. */
const isInSeveralTeams = teams.length > 0

export function ReportPanel({ form: { values, set, errorsFor } }: { form: Form<SettingsValues> }) {
  return (
    <Section
      title="Weekly report"
      icon={Mail}
      description="The week in one email: visitors, pages, sources and uptime."
    >
      <div class="form">
        <CheckField
          label={isInSeveralTeams ? 'Email a report every Monday' : 'Email me a report every Monday'}
          hint={`Sent to ${isInSeveralTeams ? 'the person who added the website' : boot.user?.email} at 8:00 in the time zone above.`}
          isSwitch
          checked={values.email}
          errors={errorsFor('email') ?? []}
          onValue={(value) => set('email', value)}
        />
        {canSend('email') ? (
          <GoLiveNotice needs={['url']}>Reports have no links to Belfry yet, and no link to unsubscribe.</GoLiveNotice>
        ) : (
          <GoLiveNotice needs={['mail', 'url']}>
            This server can't send email yet, so you won't receive reports.
          </GoLiveNotice>
        )}
      </div>
    </Section>
  )
}
