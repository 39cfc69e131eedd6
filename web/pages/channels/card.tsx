import { Pencil, Trash2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { Button, ButtonLink } from '../../components/button.tsx'
import { ChannelIcon } from '../../components/channel-icon.tsx'
import { type Channel, channelTypeLabels, getChannelDestination, getChannelName } from '../../lib/channels.ts'
import { pluralize } from '../../lib/format.ts'
import { can } from '../../lib/team.ts'
import { DeleteChannel } from './delete-channel.tsx'
import { FailureNote } from './failure-note.tsx'
import { TestButton, TestResult, useChannelTest } from './test-button.tsx'
import { TransportNote } from './transport-note.tsx'
import { useMonitorCount } from './use-monitor-count.ts'

interface ChannelCardProps {
  channel: Channel
  showsMonitorCount: boolean
}

export function ChannelCard({ channel, showsMonitorCount }: ChannelCardProps) {
  const [isDeleting, setDeleting] = useState(false)
  const test = useChannelTest(channel.id)
  const title = getChannelName(channel)
  return (
    <li class="panel channel-card">
      <div class="channel-card-head">
        <ChannelIcon type={channel.provider_type} />
        <div class="channel-card-text">
          <h2>{can('edit') ? <Link href={`/notification-channels/${channel.id}`}>{title}</Link> : title}</h2>
          <p class="muted row small">
            <span class="tag">{channelTypeLabels[channel.provider_type]}</span>
            {channel.name !== null && <span class="channel-destination">{getChannelDestination(channel)}</span>}
            {showsMonitorCount && <MonitorCount channelId={channel.id} />}
            {channel.assign_by_default && <span class="tag">Default for new monitors</span>}
          </p>
        </div>
        <div class="row">
          <TestButton test={test} name={title} small />
          <ButtonLink to={`/notification-channels/${channel.id}`} small icon={Pencil} needs="edit">
            Edit<span class="hidden-text"> {title}</span>
          </ButtonLink>
          <Button
            kind="danger"
            needs="edit"
            small
            icon={Trash2}
            onClick={() => setDeleting(true)}
            aria-label={`Delete ${title}`}
          >
            Delete
          </Button>
        </div>
      </div>
      <TransportNote type={channel.provider_type} />
      <FailureNote channel={channel} />
      <TestResult test={test} />
      {isDeleting && <DeleteChannel channel={channel} onClose={() => setDeleting(false)} />}
    </li>
  )
}

function MonitorCount({ channelId }: { channelId: number }) {
  const { data: count } = useMonitorCount(channelId)
  return (
    <span class="numbers">{count === undefined ? '…' : count === 0 ? 'No monitors' : pluralize(count, 'monitor')}</span>
  )
}
