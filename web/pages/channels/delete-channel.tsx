import { ConfirmDialog } from '../../components/dialog.tsx'
import { api } from '../../lib/api.ts'
import { type Channel, getChannelName } from '../../lib/channels.ts'
import { pluralize } from '../../lib/format.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'
import { showToast } from '../../lib/toasts.ts'
import { useMonitorCount } from './use-monitor-count.ts'

interface DeleteChannelProps {
  channel: Channel
  onClose: () => void
  onDeleted?: () => Promise<void>
}

export function DeleteChannel({ channel, onClose, onDeleted }: DeleteChannelProps) {
  const { data: count } = useMonitorCount(channel.id)
  return (
    <ConfirmDialog
      title={`Delete ${getChannelName(channel)}?`}
      action="Delete channel"
      onClose={onClose}
      onConfirm={async () => {
        await api.delete(`api/providers/${channel.id}`)
        showToast('Channel deleted.')
        await onDeleted?.()
        queryClient.setQueryData<Channel[]>(queryKeys.channelList, (channels) =>
          channels?.filter(({ id }) => id !== channel.id),
        )
        queryClient.removeQueries({ queryKey: queryKeys.channel(channel.id) })
      }}
    >
      <p>
        {count === undefined
          ? 'Monitors will no longer send alerts to this channel.'
          : count === 0
            ? 'No monitors use this channel.'
            : `${pluralize(count, 'monitor')} will no longer send alerts to this channel.`}{' '}
        Its notification history is deleted too. This can't be undone.
      </p>
    </ConfirmDialog>
  )
}
