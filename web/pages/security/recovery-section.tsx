import { LifeBuoy } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Section } from '../../components/section.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'
import { pluralize } from '../../lib/format.ts'
import { type AccountSecurity, refetchSecurity } from '../../lib/security.ts'
import { ProofDialog } from './proof-dialog.tsx'
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx'

/** With fewer codes than this, the number stands out. */
const FEW_CODES = 3

export function RecoverySection({ security }: { security: AccountSecurity }) {
  const { has_password: hasPassword, recovery_codes_left: count } = security
  const [isAsking, setAsking] = useState(false)
  const [codes, setCodes] = useState<readonly string[]>()
  return (
    <Section title="Recovery codes" icon={LifeBuoy} description="For when you lose your phone or your passkeys.">
      <div class="section-action">
        <p>
          <span class={count < FEW_CODES ? 'tag security-few' : 'tag'}>{pluralize(count, 'code')} left</span>{' '}
          <span class="muted">Each code signs you in once.</span>
        </p>
        <Button onClick={() => setAsking(true)}>Create new codes</Button>
      </div>
      {isAsking && (
        <ProofDialog
          title="Create new recovery codes?"
          action="Create codes"
          hasPassword={hasPassword}
          onClose={() => setAsking(false)}
          onConfirm={async (proof) => {
            const { data } = await api.post<ItemResponse<{ recovery_codes: string[] }>>(
              'api/account/recovery-codes',
              proof,
            )
            setAsking(false)
            setCodes(data.recovery_codes)
            void refetchSecurity()
          }}
        >
          <p>Your current codes stop working.</p>
        </ProofDialog>
      )}
      {codes && <RecoveryCodesDialog title="New recovery codes" codes={codes} onClose={() => setCodes(undefined)} />}
    </Section>
  )
}
