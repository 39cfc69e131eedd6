import { CheckField } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { boot, canSend } from '../../lib/boot.ts'
import type { Form } from '../../lib/use-form.ts'
import type { Values } from './values.ts'

export function ReportPanel({ form: { values, set, errorsOf } }: { form: Form<Values> }) {
  return (
    <Panel title="Weekly report">
      <div class="form">
        <CheckField
          label="Send me a report every Monday"
          hint={`To ${boot.user?.email}, at 8 in the morning of the time zone above: visitors, pages, sources, and uptime.`}
          checked={values.email}
          errors={errorsOf('email') ?? []}
          onValue={(value) => set('email', value)}
        />
        {canSend('email') ? (
          <p class="small muted">Mail is set up on this server.</p>
        ) : (
          <div class="notice notice-warn">
            <span>
              Mail is not set up on this server, so nothing can be sent yet. Whoever runs it sets{' '}
              <code>BELFRY_SMTP_URL</code> and <code>BELFRY_MAIL_FROM</code>.
            </span>
          </div>
        )}
      </div>
    </Panel>
  )
}
