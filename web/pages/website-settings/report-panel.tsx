import { CheckField } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { boot, canSend } from '../../lib/boot.ts'
import type { Form } from '../../lib/use-form.ts'
import type { SettingsValues } from './values.ts'

export function ReportPanel({ form: { values, set, errorsFor } }: { form: Form<SettingsValues> }) {
  return (
    <Panel title="Weekly report">
      <div class="form">
        <CheckField
          label="Email me a report every Monday"
          hint={`Sent to ${boot.user?.email} at 8:00 in the time zone above. Includes visitors, pages, sources and uptime.`}
          checked={values.email}
          errors={errorsFor('email') ?? []}
          onValue={(value) => set('email', value)}
        />
        {canSend('email') ? (
          <p class="small muted">Email is set up on this server.</p>
        ) : (
          <div class="notice notice-warn">
            <span>
              Email isn't set up on this server, so reports can't be sent. To set it up, configure{' '}
              <code>BELFRY_SMTP_URL</code> and <code>BELFRY_MAIL_FROM</code> on the server.
            </span>
          </div>
        )}
      </div>
    </Panel>
  )
}
