import type { ComponentChildren } from 'preact'
import { Link } from 'wouter-preact'
import { ChannelIcon } from '../../components/channel-icon.tsx'
import { Panel } from '../../components/page.tsx'
import { SiteIcon } from '../../components/site-icon.tsx'
import { TagLinks } from '../../components/tag-list.tsx'
import { DateTime } from '../../components/time.tsx'
import { causeTexts } from '../../lib/causes.ts'
import type { AccountIncident } from '../../lib/incidents.ts'
import { describeTarget, monitorTypeInfo } from '../../lib/monitor-types.ts'
import { describeNotified, getNotifiedName } from '../incidents/notified-channels.tsx'

export function DetailsPanel({ incident }: { incident: AccountIncident }) {
  const { monitor, website, cause, started_at, detected_at, resolved_at } = incident
  return (
    <Panel title="Details">
      <dl class="monitor-settings">
        <Detail name="Monitor">
          <Link href={`/monitors/${monitor.id}`}>{monitor.friendly_name}</Link>
          <div class="small muted">
            {monitorTypeInfo[monitor.type].label}
            {monitor.url !== '' && <div>{describeTarget(monitor)}</div>}
          </div>
        </Detail>
        {website && (
          <Detail name="Website">
            <span class="incident-website">
              <SiteIcon website={website} />
              <Link href={`/${website.domain}`}>{website.name}</Link>
            </span>
          </Detail>
        )}
        {monitor.tags.length > 0 && (
          <Detail name="Tags">
            <span class="incident-tags">
              <TagLinks tags={monitor.tags} />
            </span>
          </Detail>
        )}
        <Detail name="Cause">{causeTexts[cause].title}</Detail>
        <Detail name="Started">
          <DateTime at={started_at} hasSeconds />
        </Detail>
        <Detail name="Detected">
          <DateTime at={detected_at} hasSeconds />
        </Detail>
        {resolved_at !== null && (
          <Detail name={incident.resolution === 'paused' ? 'Closed' : 'Resolved'}>
            <DateTime at={resolved_at} hasSeconds />
          </Detail>
        )}
      </dl>
    </Panel>
  )
}

const Detail = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt class="muted">{name}</dt>
    <dd>{children}</dd>
  </div>
)

export function NotifiedPanel({ incident: { notified, monitor } }: { incident: AccountIncident }) {
  return (
    <Panel title="Notified">
      {monitor.is_sample ? (
        <p class="muted">A sample incident notifies no one.</p>
      ) : notified.length === 0 ? (
        <p class="muted">
          No one was notified. Assign a notification channel on the{' '}
          <Link href={`/monitors/${monitor.id}`}>page of the monitor</Link>.
        </p>
      ) : (
        <ul class="incident-notified">
          {notified.map((channel) => (
            <li key={channel.provider_id}>
              <ChannelIcon type={channel.provider_type} />
              <div>
                <Link href={`/notification-channels/${channel.provider_id}`}>{getNotifiedName(channel)}</Link>
                <div class={`small incident-notified-${channel.state}`}>{capitalize(describeNotified(channel))}</div>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
