import { ConfirmDialog } from '../../components/dialog.tsx'
import { showToast } from '../../components/toasts.tsx'
import { api } from '../../lib/api.ts'
import { pluralize } from '../../lib/format.ts'
import { getProviderName, type Provider } from '../../lib/providers.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'
import { useMonitorCount } from './use-monitor-count.ts'

interface DeleteProviderProps {
  provider: Provider
  onClose: () => void
  onDeleted?: () => Promise<void>
}

export function DeleteProvider({ provider, onClose, onDeleted }: DeleteProviderProps) {
  const { data: count } = useMonitorCount(provider.id)
  return (
    <ConfirmDialog
      title={`Delete ${getProviderName(provider)}?`}
      action="Delete channel"
      onClose={onClose}
      onConfirm={async () => {
        await api.delete(`api/providers/${provider.id}`)
        showToast('Channel deleted.')
        await onDeleted?.()
        queryClient.setQueryData<Provider[]>(queryKeys.providerList, (providers) =>
          providers?.filter(({ id }) => id !== provider.id),
        )
        queryClient.removeQueries({ queryKey: queryKeys.provider(provider.id) })
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
