import { useQuery } from '@tanstack/preact-query'
import { BellRing, Rocket, ShieldCheck, UserRound } from 'lucide-preact'
import { useState } from 'preact/hooks'
import type { AccountRecord } from '../../src/accounts/schema.ts'
import { Button, ButtonLink } from '../components/button.tsx'
import { CheckField } from '../components/field.tsx'
import { GoLiveList } from '../components/go-live-list.tsx'
import { Page } from '../components/page.tsx'
import { ProblemNotice } from '../components/problem-notice.tsx'
import { Section } from '../components/section.tsx'
import { QueryContent, Skeleton } from '../components/states.tsx'
import { useUnsavedGuard } from '../components/use-unsaved-guard.tsx'
import { SERVER_SETTINGS_PATH } from '../lib/address.ts'
import { api, type ItemResponse } from '../lib/api.ts'
import { boot } from '../lib/boot.ts'
import { queryClient, queryKeys } from '../lib/queries.ts'
import { useGoLive } from '../lib/server-settings.ts'
import { can, currentTeamName, isSecondFactorNeeded } from '../lib/team.ts'
import { showProblem, showToast } from '../lib/toasts.ts'
import { useForm } from '../lib/use-form.ts'
import { PasswordSection } from './account/password-section.tsx'
import { RoleTag } from './users/role-tag.tsx'
import './account.css'

export default function AccountPage() {
  return (
    <Page title="Account" isSettings>
      <div class="sections">
        <Section
          title="Profile"
          icon={UserRound}
          description="Weekly reports of websites that you added go to this address."
        >
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
        {can('edit') && !isSecondFactorNeeded && <AlertSettings />}
        <PasswordSection />
        <SecuritySection />
        {boot.user?.is_admin && <GoLiveSection />}
      </div>
    </Page>
  )
}

/** Leads to the page about all other ways to sign in. */
function SecuritySection() {
  return (
    <Section title="Security" icon={ShieldCheck} description="Protect your account with a second step.">
      <div class="section-action">
        <p class="muted">Authenticator app, passkeys, recovery codes, email address, and where you are signed in.</p>
        <ButtonLink to="/account/security">Security settings</ButtonLink>
      </div>
    </Section>
  )
}

/** Shows admins what is missing before the server goes live, and leads to the page where they can set it. */
function GoLiveSection() {
  const goLive = useGoLive()
  return (
    <Section title="Go live" icon={Rocket} description="What to set before other people rely on this server.">
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

/** The setting is one of the team. */
function AlertSettings() {
  const account = useQuery({
    queryKey: queryKeys.account,
    queryFn: async ({ signal }) => (await api.get<ItemResponse<AccountRecord>>('api/account', signal)).data,
  })
  return (
    <Section
      title="Alerts"
      icon={BellRing}
      description={`How Belfry sends alerts to ${currentTeamName === undefined ? 'your notification channels' : `the notification channels of ${currentTeamName}`}.`}
    >
      <QueryContent query={account} loading={<Skeleton height="6.5rem" />}>
        {(data) => <AlertForm account={data} />}
      </QueryContent>
    </Section>
  )
}

async function saveGroupAlerts(group_alerts: boolean): Promise<void> {
  const { data } = await api.patch<ItemResponse<AccountRecord>>('api/account', { group_alerts })
  queryClient.setQueryData(queryKeys.account, data)
}

function AlertForm({ account }: { account: AccountRecord }) {
  // The saved value that edits are compared with. A background refetch must not look like an edit.
  const [saved, setSaved] = useState(account.group_alerts)
  const form = useForm({ group_alerts: saved }, async ({ group_alerts }) => {
    const save = async (isOn: boolean) => {
      await saveGroupAlerts(isOn)
      setSaved(isOn)
      form.set('group_alerts', isOn)
    }
    await save(group_alerts)
    showToast('Settings saved.', { undo: () => void save(!group_alerts).catch(showProblem) })
  })
  const isChanged = form.values.group_alerts !== saved
  const guard = useUnsavedGuard(isChanged)
  return (
    <form class="form" onSubmit={form.submit}>
      <CheckField
        label="Combine alerts during an outage"
        hint="The first alert is sent immediately. If more monitors go down within a minute, each channel gets one summary instead of one message per monitor."
        isSwitch
        checked={form.values.group_alerts}
        onValue={(isOn) => form.set('group_alerts', isOn)}
      />
      <ProblemNotice problem={form.problem} />
      <div class="form-actions">
        <Button kind="primary" type="submit" busy={form.busy} disabled={!isChanged}>
          Save changes
        </Button>
        <Button kind="quiet" disabled={!isChanged} onClick={() => form.set('group_alerts', saved)}>
          Discard changes
        </Button>
      </div>
      {guard.dialog}
    </form>
  )
}
