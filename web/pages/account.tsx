import { useQuery } from '@tanstack/preact-query'
import { BellRing, KeyRound, Rocket, UserRound } from 'lucide-preact'
import type { AccountRecord } from '../../src/accounts/schema.ts'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../src/shared/limits.ts'
import { Button, ButtonLink } from '../components/button.tsx'
import { CheckField, TextField } from '../components/field.tsx'
import { GoLiveList } from '../components/go-live-list.tsx'
import { Page } from '../components/page.tsx'
import { ProblemNotice } from '../components/problem-notice.tsx'
import { Section } from '../components/section.tsx'
import { ErrorState, QueryContent, Skeleton } from '../components/states.tsx'
import { SERVER_SETTINGS_PATH } from '../lib/address.ts'
import { api, type ItemResponse } from '../lib/api.ts'
import { boot } from '../lib/boot.ts'
import { queryClient, queryKeys } from '../lib/queries.ts'
import { useGoLive } from '../lib/server-settings.ts'
import { showProblem, showToast } from '../lib/toasts.ts'
import { useForm } from '../lib/use-form.ts'
import { RoleTag } from './users/role-tag.tsx'
import './account.css'

const emptyForm = { current_password: '', new_password: '' }

export default function AccountPage() {
  const { values, set, setAll, submit, busy, problem, errorsFor } = useForm(emptyForm, async (values) => {
    await api.put('api/account/password', values)
    setAll(emptyForm)
    showToast('Password changed. All other sessions have been signed out.')
  })
  return (
    <Page title="Account" isSettings>
      <div class="sections">
        <Section title="Profile" icon={UserRound} description="Weekly reports go to this address.">
          <div class="account-profile">
            <span class="avatar" aria-hidden="true">
              {boot.user?.email.slice(0, 1)}
            </span>
            <p class="muted">
              Signed in as <strong>{boot.user?.email}</strong>
            </p>
            {boot.user && <RoleTag isAdmin={boot.user.is_admin} />}
          </div>
        </Section>
        <AlertSettings />
        <Section
          title="Password"
          icon={KeyRound}
          description="If you change it, you stay signed in here and are signed out on all other devices."
        >
          <form class="form" method="post" onSubmit={submit}>
            {/* Tells password managers which account the password belongs to. */}
            <input type="hidden" name="username" autocomplete="username" value={boot.user?.email} />
            <TextField
              label="Current password"
              type="password"
              autocomplete="current-password"
              required
              value={values.current_password}
              errors={errorsFor('current_password')}
              onValue={(value) => set('current_password', value)}
            />
            <TextField
              label="New password"
              hint={`At least ${MIN_PASSWORD_LENGTH} characters.`}
              type="password"
              autocomplete="new-password"
              minLength={MIN_PASSWORD_LENGTH}
              maxLength={MAX_PASSWORD_LENGTH}
              required
              value={values.new_password}
              errors={errorsFor('new_password')}
              onValue={(value) => set('new_password', value)}
            />
            <ProblemNotice problem={problem} fieldsWithOwnErrors={['current_password', 'new_password']} />
            <div class="form-actions">
              <Button kind="primary" type="submit" busy={busy}>
                Change password
              </Button>
            </div>
          </form>
        </Section>
        {boot.user?.is_admin && <GoLiveSection />}
      </div>
    </Page>
  )
}

/** Shows admins what is missing before the server goes live, and leads to the page where they can set it. */
function GoLiveSection() {
  const goLive = useGoLive()
  return (
    <Section
      title="Before you go live"
      icon={Rocket}
      description="What to set before other people rely on this server."
    >
      <div class="form">
        <QueryContent query={goLive} loading={<Skeleton height="15rem" />}>
          {(items) => <GoLiveList items={items} isCompact />}
        </QueryContent>
        <div class="form-actions">
          <ButtonLink to={SERVER_SETTINGS_PATH}>Server settings</ButtonLink>
        </div>
      </div>
    </Section>
  )
}

/** Saves the setting immediately. The page then shows the value that the server returned. */
async function setGroupAlerts(group_alerts: boolean, isUndo = false): Promise<void> {
  try {
    const { data } = await api.patch<ItemResponse<AccountRecord>>('api/account', { group_alerts })
    queryClient.setQueryData(queryKeys.account, data)
    const text = group_alerts ? 'Alerts are combined during an outage.' : 'Each alert is sent as its own message.'
    showToast(text, isUndo ? {} : { undo: () => void setGroupAlerts(!group_alerts, true) })
  } catch (error) {
    showProblem(error)
  }
}

function AlertSettings() {
  const { data, error, refetch } = useQuery({
    queryKey: queryKeys.account,
    queryFn: async ({ signal }) => (await api.get<ItemResponse<AccountRecord>>('api/account', signal)).data,
  })
  return (
    <Section title="Alerts" icon={BellRing} description="How Belfry sends alerts to your notification channels.">
      {data ? (
        <CheckField
          label="Combine alerts during an outage"
          hint="The first alert is sent immediately. If more monitors go down within a minute, each channel gets one summary instead of one message per monitor."
          isSwitch
          checked={data.group_alerts}
          onValue={(isOn) => void setGroupAlerts(isOn)}
        />
      ) : error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : (
        <Skeleton height="3.5rem" />
      )}
    </Section>
  )
}
